import type { Logger } from '../../ports/logger.ts';
import type { ToolRegistry } from '../../registry/tool-registry.ts';
import type { DiagnosticList } from '../chat-diagnostic.ts';
import type { ChatMessage } from '../chat-message.ts';
import {
  runPreprocessor,
  type MessageRequest,
  type Preprocessed,
  type PreprocessorDependencies,
} from './run-preprocessor.ts';

export type PreprocessorsDependencies = PreprocessorDependencies & {
  /** The message preprocessors that are served. */
  readonly registry: Pick<ToolRegistry, 'get'>;
  /** In the order in which messages pass them, as it is now. */
  names(): readonly string[];
  /** Those without which a request does not go on. */
  required(): readonly string[];
  readonly logger: Logger;
};

/**
 * Lets the messages pass all preprocessors, one after the other. One that fails is passed over, and told of; a required
 * one ends the request.
 */
export const runPreprocessors = async (
  given: readonly ChatMessage[],
  request: MessageRequest,
  diagnostics: DiagnosticList,
  dependencies: PreprocessorsDependencies,
): Promise<Preprocessed> => {
  const required = new Set(dependencies.required());
  let messages = given;
  for (const name of dependencies.names()) {
    const outcome = await runNamed(name, messages, request, dependencies);
    if (outcome.ok) {
      messages = outcome.messages;
      continue;
    }
    const { reason } = outcome;
    const isRequired = required.has(name);
    dependencies.logger.warn('chat.preprocessor-failed', {
      toolName: name,
      requestId: request.requestId,
      reason,
      required: isRequired,
    });
    // What a plugin says of its failure is for the log: whoever wrote the request need not know the server's insides.
    diagnostics.add('PREPROCESSOR_FAILED', name, 'it failed; the messages went on as they were before it');
    if (isRequired) return { ok: false, reason: `the message preprocessor ${name}, which is required here, failed` };
  }
  return { ok: true, messages };
};

const runNamed = async (
  name: string,
  messages: readonly ChatMessage[],
  request: MessageRequest,
  dependencies: PreprocessorsDependencies,
): Promise<Preprocessed> => {
  const plugin = dependencies.registry.get(name);
  if (plugin === null) return { ok: false, reason: 'no message preprocessor of this name is served' };
  if (!plugin.enabled) return { ok: false, reason: 'it is switched off' };
  return await runPreprocessor(plugin, messages, request, dependencies);
};
