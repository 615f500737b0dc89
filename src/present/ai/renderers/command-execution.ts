import type { JsonObject, JsonValue } from '../../../protocol/json.ts';
import { fence, inlineCode, paragraph, strong, text, type BlockContent } from '../markdown.ts';
import { isPlainObject, renderRest } from './entries.ts';
import { cutNote, isShortScalar, type CutsByPointer } from './render-value.ts';
import type { Renderer } from './renderer.ts';

const OUTPUTS = ['stdout', 'stderr', 'output'];

/** A command that ran: what it was, how it ended, and what it printed. */
export const commandExecution: Renderer = {
  name: 'command-execution',
  part: 'data',
  matches: ({ presentation, data }) =>
    presentation?.preferredView === 'command-execution' || (isPlainObject(data) && isRun(data)),
  render: ({ result: { data }, cuts }) => {
    if (!isPlainObject(data) || !isRun(data)) return null;
    const { command, exitCode } = data;
    const isInLine = isShortScalar(command) && typeof command === 'string' && command !== '';
    const how = text(exitCode === null ? 'ended without an exit code' : `exit code ${JSON.stringify(exitCode)}`);
    const printed = OUTPUTS.filter((name) => typeof data[name] === 'string' && data[name] !== '');
    const shown = ['exitCode', ...(isInLine ? ['command'] : []), ...printed];
    return [
      paragraph(...(isInLine ? [inlineCode(command), text(': ')] : []), how),
      ...commandCut(isInLine, cuts),
      ...printed.flatMap((name) => outputBlocks(name, data[name] as string, cuts)),
      ...renderRest(data, shown, ['data'], cuts),
    ];
  },
};

const isRun = (data: JsonObject): boolean =>
  isExitCode(data['exitCode']) && OUTPUTS.some((name) => typeof data[name] === 'string');

const isExitCode = (value: JsonValue | undefined): boolean => value === null || Number.isInteger(value);

const commandCut = (isInLine: boolean, cuts: CutsByPointer): BlockContent[] => {
  const note = isInLine ? cutNote(['data', 'command'], cuts) : null;
  return note === null ? [] : [note];
};

const outputBlocks = (name: string, printed: string, cuts: CutsByPointer): BlockContent[] => {
  const note = cutNote(['data', name], cuts);
  return [paragraph(strong(name), text(':')), fence(printed), ...(note === null ? [] : [note])];
};
