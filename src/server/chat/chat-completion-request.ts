import { z } from 'zod';
import { ChatMessage } from '../../chat/chat-message.ts';
import { ToolName } from '../../protocol/names.ts';

/** What a request says to this server beside what it asks of the model. */
export const ChatSettings = z.strictObject({
  tools: z.array(ToolName).max(256).optional().meta({ description: 'Tools that the model may use; all by default.' }),
  toolUse: z.enum(['text', 'native', 'off']).optional().meta({
    description: 'How the model calls tools: by blocks in its text, as functions of its vendor, or not at all.',
  }),
  display: z
    .enum(['hidden', 'shown', 'summary'])
    .optional()
    .meta({ description: 'What is seen of a call in the answer.' }),
  media: z.enum(['auto', 'none']).optional().meta({
    description: 'Which files of results the model is given: those that its interface takes, or none.',
  }),
});

/** `POST /v1/chat/completions`, in the words of OpenAI. Fields that are not named here go on to the model. */
export const ChatCompletionRequest = z.looseObject({
  model: z.string().min(1).max(256),
  messages: z.array(ChatMessage).min(1).max(10_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.int().min(1).max(128).nullish(),
  vcp: ChatSettings.default({}),
});
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest>;
