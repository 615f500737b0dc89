import type { ChatMessage } from '../ports/language-model.ts';
import type { Logger } from '../ports/logger.ts';
import { addToolPrompt } from './add-tool-prompt.ts';
import type { ChatMessage as ReadMessage } from './chat-message.ts';
import type { PrepareMessages } from './chat-service.ts';
import type { RequestProcessor } from './create-request-processor.ts';

export type PrepareMessagesOptions = {
  readonly processor: RequestProcessor;
  /** `auto`: a model that calls tools by text is told of them, unless a system message says itself what it is to know. */
  readonly toolPrompt: 'auto' | 'variables';
  readonly logger: Logger;
};

/** Makes the messages of a request ready for its model, as its caller may have them. */
export const createPrepareMessages =
  ({ processor, toolPrompt, logger }: PrepareMessagesOptions): PrepareMessages =>
  async ({ model, messages }, { owner, requestId, isOffered }, { toolUse, signal }) => {
    const given = toolUse === 'text' && toolPrompt === 'auto' ? addToolPrompt(messages) : messages;
    const prepared = await processor.prepare(
      { model, messages: given as unknown as readonly ReadMessage[] },
      { requestId, owner, isOffered, signal },
    );
    for (const { code, name, message } of prepared.diagnostics)
      logger.debug('chat.prepared', { requestId, code, name, message });
    return prepared.ok ? { ...prepared, messages: prepared.messages as unknown as readonly ChatMessage[] } : prepared;
  };
