import type { JsonBounds } from '../../lib/check-json-value.ts';
import { excerptOfBytes } from '../../lib/excerpt-of-bytes.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { TransportError } from '../../ports/transport.ts';

/** The payload that a guest left as its output: JSON in UTF-8. Anything else is `INVALID_TOOL_RESULT`. */
export const readGuestOutput = (bytes: Uint8Array, bounds: JsonBounds): unknown => {
  if (bytes.byteLength === 0)
    throw invalid('the plugin left no output; write its result as JSON with output_set before invoke returns', bytes);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid("the plugin's output is not UTF-8", bytes);
  }
  // The payload itself is one level above the data that the bounds speak of.
  const parsed = parseJson(text, { ...bounds, jsonDepth: bounds.jsonDepth + 1 });
  if (parsed.ok) return parsed.value;
  const where = parsed.issue.pointer === '' ? '' : ` at ${parsed.issue.pointer}`;
  throw invalid(`the plugin's output ${parsed.issue.message}${where}`, bytes);
};

const invalid = (message: string, bytes: Uint8Array): TransportError =>
  new TransportError('INVALID_TOOL_RESULT', message, { firstOffendingOutput: excerptOfBytes(bytes) });
