import { isJsonObject } from '../../lib/is-json-object.ts';
import type { ChatRequest } from '../../ports/language-model.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { textOf } from './json-fields.ts';
import type { Mapping } from './request-field.ts';

export type FunctionTool = {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly parameters: JsonObject;
  readonly isStrict: boolean;
};

/** The tools of a request, which are functions all. */
export const functionTools = ({ tools }: ChatRequest, mapping: Mapping): readonly FunctionTool[] => {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) throw mapping.refused(['tools'], 'must be a list');
  return (tools as readonly JsonValue[]).map((tool, index) => {
    const path = ['tools', index];
    if (!isJsonObject(tool) || tool['type'] !== 'function' || !isJsonObject(tool['function']))
      throw mapping.refused(path, 'must be a tool of type function: this upstream is given no others');
    const { name, description, parameters, strict } = tool['function'];
    const schema = isJsonObject(parameters) ? parameters : { type: 'object', properties: {} };
    return {
      name: textOf(name),
      description: textOf(description),
      parameters: 'type' in schema ? schema : { type: 'object', ...schema },
      isStrict: strict === true,
    };
  });
};

export type ToolChoice =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'function'; readonly name: string };

/** What the request says of the use of its tools; null when it says nothing. */
export const toolChoiceOf = ({ tool_choice: choice }: ChatRequest, mapping: Mapping): ToolChoice | null => {
  if (choice === undefined || choice === null) return null;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice };
  const named = isJsonObject(choice) && choice['type'] === 'function' ? choice['function'] : undefined;
  if (isJsonObject(named)) return { type: 'function', name: textOf(named['name']) };
  throw mapping.refused(['tool_choice'], 'must be auto, none, required or a function: this upstream knows no other');
};
