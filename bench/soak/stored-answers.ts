import { isDeepStrictEqual } from 'node:util';
import { closedLoopOver } from '../lib/closed-loop.ts';
import type { JsonClient } from '../lib/json-client.ts';

/** What the server promised by answering: a result and a record that can be read again. */
export interface AnsweredCall {
  resultId: string;
  recordId: string;
  /** The answer's `data` as JSON text. */
  data: string;
}

/** Calls a tool once, checks the answer, and returns what must be found again later. */
export async function callTool(
  client: JsonClient,
  tool: string,
  args: unknown,
  check: (data: unknown) => void,
): Promise<AnsweredCall> {
  const body = JSON.stringify({ tool, arguments: args, options: { view: 'canonical' } });
  const { status, text } = await client.send('POST', '/v1/human/tool', body);
  if (status !== 200) throw new Error(`${tool} answered ${status}: ${text.slice(0, 2_000)}`);
  const result = JSON.parse(text);
  if (result.status !== 'success') throw new Error(`${tool} did not succeed: ${text.slice(0, 2_000)}`);
  check(result.data);
  return { resultId: result.id, recordId: result.execution.recordId, data: JSON.stringify(result.data) };
}

/** Reads every result and record of `answered` again and describes each that is missing or different. */
export async function findLosses(
  client: JsonClient,
  answered: readonly AnsweredCall[],
  inFlight: number,
): Promise<string[]> {
  const losses: string[] = [];
  await closedLoopOver(inFlight, answered.length, async (index) => {
    const { resultId, recordId, data } = answered[index]!;
    const result = await client.send('GET', `/v1/results/${resultId}?view=canonical`);
    if (!isStored(result.status, result.text, resultId)) losses.push(`result ${resultId}: ${result.status}`);
    else if (!isDeepStrictEqual(JSON.parse(result.text).data, JSON.parse(data)))
      losses.push(`result ${resultId}: other data than answered`);
    const record = await client.send('GET', `/v1/records/${recordId}`);
    if (!isStored(record.status, record.text, recordId)) losses.push(`record ${recordId}: ${record.status}`);
  });
  return losses;
}

function isStored(status: number, text: string, id: string): boolean {
  return status === 200 && text.includes(`"${id}"`);
}
