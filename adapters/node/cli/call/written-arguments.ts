import { readFileSync } from 'node:fs';
import process from 'node:process';
import { text as readText } from 'node:stream/consumers';
import { coerceArguments } from '../../../../src/instruction/coerce-arguments.ts';
import type { WrittenField } from '../../../../src/instruction/select-command.ts';
import { DEFAULT_LIMITS } from '../../../../src/lib/limits.ts';
import { parseJson } from '../../../../src/lib/parse-json.ts';
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts';
import { UsageError } from '../exit.ts';

/** What `--arg` options say: texts that the schema converts, and values that were written as JSON. */
export type WrittenArgument =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly value: JsonValue };

/** Reads `name=value`, `name=@file`, `name=-` and `name:=json`. */
export const readWrittenArguments = async (pairs: readonly string[]): Promise<WrittenArgument[]> => {
  const read: WrittenArgument[] = [];
  let stdinUser: string | null = null;
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const typed = pair[equals - 1] === ':';
    const name = pair.slice(0, typed ? equals - 1 : equals);
    if (equals < 1 || name === '') throw new UsageError(`--arg ${pair} must be name=value`);
    const text = pair.slice(equals + 1);
    if (typed) read.push({ name, value: jsonOf(text, `--arg ${name}:=`) });
    else if (text === '-') {
      if (stdinUser !== null) throw new UsageError(`--arg ${stdinUser}=- and ${name}=- cannot both read stdin`);
      stdinUser = name;
      read.push({ name, text: withoutLastBreak(await readText(process.stdin)) });
    } else if (text.startsWith('@@')) read.push({ name, text: text.slice(1) });
    else if (text.startsWith('@')) read.push({ name, text: textOfFile(text.slice(1), name) });
    else read.push({ name, text });
  }
  return read;
};

/** The texts among them, as fields of a written call. */
export const fieldsOf = (written: readonly WrittenArgument[]): WrittenField[] =>
  written.flatMap((argument): WrittenField[] => {
    if ('text' in argument) return [[argument.name, argument.text]];
    // A command that was written as JSON selects the schema all the same.
    return typeof argument.value === 'string' ? [[argument.name, argument.value]] : [];
  });

/** The arguments as the schema makes them; raises UsageError when one is given twice, in whatever spelling. */
export const argumentsOf = (written: readonly WrittenArgument[], schema: JsonValue): JsonObject => {
  const args = new Map<string, JsonValue>();
  for (const argument of written) {
    const text = 'text' in argument ? argument.text : '';
    const [[name, value] = [argument.name, text]] = Object.entries(coerceArguments([[argument.name, text]], schema));
    if (args.has(name))
      throw new UsageError(`the argument ${name} is given twice; a list is written --arg '${name}:=["a","b"]'`);
    args.set(name, 'text' in argument ? value : argument.value);
  }
  // fromEntries defines own properties, so a name such as `__proto__` stays a plain name.
  return Object.fromEntries(args);
};

/** The JSON value of an option. */
export const jsonOf = (text: string, option: string): JsonValue => {
  const parsed = parseJson(text, DEFAULT_LIMITS);
  if (parsed.ok) return parsed.value as JsonValue;
  const { pointer, message } = parsed.issue;
  throw new UsageError(`${option}${pointer === '' ? '' : ` at ${pointer}`} ${message}`);
};

const textOfFile = (path: string, name: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
          ? 'it is not UTF-8 text'
          : (error as Error).message;
    throw new UsageError(`--arg ${name}=@${path}: ${reason}; a text that begins with @ is written @@`);
  }
};

/** `echo` ends its line, and nobody means that break to be part of the value. */
const withoutLastBreak = (text: string): string => text.replace(/\r?\n$/, '');
