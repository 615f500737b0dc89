import type { ChatMessage } from '../../ports/language-model.ts';
import type { Mapping, Path } from './request-field.ts';

/**
 * Fields of messages that mappings read, or leave out on purpose: thoughts in plain text are for people, and no vendor
 * wants them back in that form.
 */
const READ = new Set([
  'role',
  'content',
  'tool_calls',
  'tool_call_id',
  'function_call',
  'reasoning_content',
  'reasoning',
]);

/** Notes the fields of a message that get lost; those that say nothing do not count. */
export const noteOtherFields = (message: ChatMessage, known: readonly string[], path: Path, mapping: Mapping): void => {
  for (const [name, value] of Object.entries(message)) {
    if (READ.has(name) || known.includes(name)) continue;
    if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    mapping.notice([...path, name], 'was left out: this upstream has nothing like it in messages');
  }
};
