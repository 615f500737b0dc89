import { isJsonObject } from '../../../lib/is-json-object.ts';
import type { ModelEvent } from '../../../ports/language-model.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { textOf } from '../json-fields.ts';

export type PartPlace = {
  readonly choice: number;
  /** Index of the next tool call of this choice. */
  readonly call: number;
  /** What ids of calls begin with that have none of their own. */
  readonly id: string;
};

/** What one part of an answer says: a thought, a text, a call, a picture; other parts are passed on. */
export const partEvents = (part: JsonObject, { choice, call, id }: PartPlace): ModelEvent[] => {
  const { text, thought, functionCall: called, inlineData: data, thoughtSignature: signature, ...rest } = part;
  const extra = typeof signature === 'string' ? { extra_content: { google: { thought_signature: signature } } } : null;
  if (isJsonObject(called))
    return [
      {
        type: 'tool_call',
        choice,
        index: call,
        id: textOf(called['id']) || `call_${id}_${choice}_${call}`,
        name: textOf(called['name']),
        arguments: JSON.stringify(isJsonObject(called['args']) ? called['args'] : {}),
        ...(extra === null ? {} : { extra }),
      },
    ];
  const events: ModelEvent[] = [];
  if (typeof text === 'string' && text !== '')
    events.push({ type: thought === true ? 'reasoning' : 'text', choice, text });
  if (isJsonObject(data)) {
    const url = `data:${textOf(data['mimeType'])};base64,${textOf(data['data'])}`;
    events.push({ type: 'extra', choice, deltaFields: { images: [{ type: 'image_url', image_url: { url } }] } });
  }
  if (Object.keys(rest).length > 0) events.push({ type: 'extra', choice, deltaFields: { content_parts: [rest] } });
  if (extra !== null) events.push({ type: 'extra', choice, deltaFields: extra });
  return events;
};
