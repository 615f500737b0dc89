import type { z } from 'zod';
import type { JsonBounds } from '../../../lib/check-json-value.ts';
import { describeIssues, issuesOf } from '../../../lib/issue.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import { HostMisuse, type HostCall } from '../../../ports/wasm-sandbox.ts';

/** Characters of a request that is read; the bytes that go with it are not part of it. */
const MOST_CHARACTERS = 2 * 1024 * 1024;
/** Values in it: a guest may send ten thousand requests, and each is read in the server's own thread. */
const MOST_NODES = 10_000;

/** The request of a guest, checked. What is none, or is too long, raises `HostMisuse`, which ends the run. */
export const readRequest = <Schema extends z.ZodType>(
  { name, request }: HostCall,
  schema: Schema,
  bounds: JsonBounds,
  { mostCharacters = MOST_CHARACTERS, mostNodes = MOST_NODES } = {},
): z.infer<Schema> => {
  if (request.length > mostCharacters)
    throw new HostMisuse(`the request of ${name} is longer than ${mostCharacters} characters`);
  const parsed = parseJson(request, { ...bounds, jsonNodes: Math.min(bounds.jsonNodes, mostNodes) });
  if (!parsed.ok) throw new HostMisuse(`the request of ${name} ${parsed.issue.message}`);
  const checked = schema.safeParse(parsed.value);
  if (!checked.success) throw new HostMisuse(`the request of ${name}: ${describeIssues(issuesOf(checked.error))}`);
  return checked.data;
};
