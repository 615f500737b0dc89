import { isJsonObject } from '../../lib/is-json-object.ts';
import type { ChatRequest } from '../../ports/language-model.ts';
import type { JsonValue } from '../../protocol/json.ts';

/**
 * The request as it is after calls that the server has made: a choice that forces a call has had it. Asked again like
 * that, the model could never answer.
 */
export const toolChoiceAfterCalls = (request: ChatRequest): ChatRequest =>
  forcesCall(request['tool_choice']) ? { ...request, tool_choice: 'auto' } : request;

const forcesCall = (choice: JsonValue | undefined): boolean => {
  if (!isJsonObject(choice)) return choice === 'required';
  if (choice['type'] !== 'allowed_tools') return true;
  const allowed = choice['allowed_tools'];
  return isJsonObject(allowed) && allowed['mode'] === 'required';
};
