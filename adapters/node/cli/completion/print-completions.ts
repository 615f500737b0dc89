import process from 'node:process';
import type { Command } from 'commander';
import { connect } from '../connect.ts';
import { bashReplies } from './bash-replies.ts';
import { NOTHING, type Completion } from './candidate.ts';
import { completeWords, type LineSoFar } from './complete-words.ts';
import type { Shell } from './scripts.ts';
import { createServerValues } from './server-values.ts';
import { splitLine } from './split-line.ts';

/** Milliseconds that the server has: somebody holds the Tab key down. VCP_COMPLETION_MS is for servers that are far away. */
const PATIENCE_MS = 500;
const DESCRIPTION_CHARACTERS = 80;

/**
 * Answers a completion script. bash hands over its line and the characters that it cuts words at; the others hand
 * over words. Whatever goes wrong, nothing is offered and nothing is said.
 */
export const printCompletions = async (program: Command, shell: Shell, given: readonly string[]): Promise<void> => {
  const line = shell === 'bash' ? splitLine(given[0] ?? '') : null;
  const words = line?.words.slice(1) ?? given.slice(0, -1);
  const current = line?.current ?? given.at(-1) ?? '';
  const stop = AbortSignal.timeout(Number(process.env['VCP_COMPLETION_MS']) || PATIENCE_MS);
  const source = createServerValues((soFar) => connect(serverOf(soFar), { isUnasked: true }), stop);
  const completion = await completeWords(program, words, current, source).catch((): Completion => NOTHING);
  if (completion.kind !== 'values') {
    process.stdout.write(`${completion.kind}\n`);
    return;
  }
  // A control character in a name would break the line protocol, or the terminal.
  const candidates = completion.candidates.filter(({ value }) => !/\p{Cc}/u.test(value));
  const lines =
    line === null
      ? candidates.map(({ value, description }) => (description ? `${value}\t${oneLine(description)}` : value))
      : bashReplies(
          candidates.map(({ value }) => value),
          line,
          given[1] ?? '',
        );
  process.stdout.write(['values', ...lines, ''].join('\n'));
};

/** The server that the line itself names. */
const serverOf = ({ options }: LineSoFar): { url?: string; key?: string } => {
  const url = options.get('url')?.at(-1);
  const key = options.get('key')?.at(-1);
  return { ...(url === undefined ? {} : { url }), ...(key === undefined ? {} : { key }) };
};

const oneLine = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, DESCRIPTION_CHARACTERS)
    .toWellFormed();
