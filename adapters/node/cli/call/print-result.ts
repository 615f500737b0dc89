import process from 'node:process';
import type { VcpClient } from '../../../../src/client/vcp-client.ts';
import type { CanonicalToolResult } from '../../../../src/protocol/canonical-tool-result.ts';
import type { ResultView } from '../../../../src/protocol/invocation.ts';
import { printJson } from '../json-output.ts';
import { painterOf, printable } from '../terminal.ts';
import { SUCCESSFUL } from './successful.ts';

/** Prints a result in the view that was asked for; without one, the whole result, or to a person the parts that matter. */
export const printResult = async (
  client: VcpClient,
  result: CanonicalToolResult,
  view: ResultView | undefined,
): Promise<void> => {
  if (view === undefined && process.stdout.isTTY) return printShortly(result);
  const projected = await projectedResult(client, result, view);
  if (view !== 'ai' || projected === result) return printJson(projected);
  // The text does not name the result that it is of.
  process.stderr.write(`vcp: this is ${result.id}; vcp results ${result.id} prints it whole\n`);
  const { text } = projected as { text: string };
  process.stdout.write(`${process.stdout.isTTY ? printable(text) : text}\n`);
};

/** The result in a view. The call is made once and read twice: the canonical result tells whether the tool succeeded. */
export const projectedResult = async (
  client: VcpClient,
  result: CanonicalToolResult,
  view: ResultView | undefined,
): Promise<unknown> => {
  if (view === undefined || view === 'canonical') return result;
  if (result.execution.recordId !== null) return await client.getResult(result.id, { view });
  process.stderr.write(`vcp: the result could not be stored, so it has no ${view} view; this is the whole\n`);
  return result;
};

/** Status, warnings and the id to stderr; the data, or the error, to stdout. */
const printShortly = (result: CanonicalToolResult): void => {
  const { tool, status, data, resources, warnings, error, task, execution } = result;
  const paint = painterOf(process.stderr);
  const succeeded = SUCCESSFUL.has(status);
  const name = printable([tool.name, tool.command].filter((part) => part !== null).join(' · '));
  const mark = succeeded ? paint('green', '✔') : paint('red', '✖');
  const say = (line: string) => process.stderr.write(`${line}\n`);
  say(`${mark} ${paint('bold', name)}: ${status}, ${Math.round(execution.durationMs)} ms`);
  if (data !== null) printJson(data);
  if (error !== null) {
    say(`${paint('red', error.code)}: ${printable(error.message)}`);
    if (error.details !== null) printJson(error.details);
  }
  if (task !== null && status === 'accepted') printJson(task);
  for (const warning of warnings) say(`${paint('yellow', warning.code)}: ${printable(warning.message)}`);
  for (const { id, fileName, mimeType, sizeBytes } of resources) {
    const size = sizeBytes === null ? 'external' : `${sizeBytes} bytes`;
    say(`${paint('cyan', printable(fileName))}  ${mimeType}, ${size}, ${id}`);
  }
  const more = resources.some(({ sha256 }) => sha256 !== null) ? '; --save DIR downloads its resources' : '';
  say(
    execution.recordId === null
      ? paint('yellow', 'this result could not be stored')
      : paint('dim', `vcp results ${result.id} prints it whole${more}`),
  );
};
