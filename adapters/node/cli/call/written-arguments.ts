import { readFileSync, statSync } from 'node:fs';
import process from 'node:process';
import { text as readText } from 'node:stream/consumers';
import { coerceArguments } from '../../../../src/instruction/coerce-arguments.ts';
import { normaliseKey } from '../../../../src/instruction/normalise-key.ts';
import type { WrittenField } from '../../../../src/instruction/select-command.ts';
import { isJsonObject } from '../../../../src/lib/is-json-object.ts';
import { DEFAULT_LIMITS } from '../../../../src/lib/limits.ts';
import { parseJson } from '../../../../src/lib/parse-json.ts';
import { isResourceSchema } from '../../../../src/lib/resource-places.ts';
import { schemaProperties } from '../../../../src/lib/schema-properties.ts';
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts';
import { UsageError } from '../exit.ts';
import { shellQuote } from '../shell-quote.ts';

/** What `--arg` options say: texts that the schema converts, and values that were written as JSON. */
export type WrittenArgument =
  | ReadArgument
  /** A file that is there: its text, or the file itself where the schema declares a resource. */
  | { readonly name: string; readonly file: string };

type ReadArgument =
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
    else if (text.startsWith('@')) read.push({ name, file: presentFile(text.slice(1), name) });
    else read.push({ name, text });
  }
  return read;
};

/** The texts among them, as fields of a written call. */
export const fieldsOf = (written: readonly WrittenArgument[]): WrittenField[] =>
  written.flatMap((argument): WrittenField[] => {
    if ('text' in argument) return [[argument.name, argument.text]];
    if ('file' in argument) return [];
    // A command that was written as JSON selects the schema all the same.
    return typeof argument.value === 'string' ? [[argument.name, argument.value]] : [];
  });

/**
 * The arguments as the schema makes them: a list may come in several parts. Raises UsageError when another one is given
 * twice, in whatever spelling, or is a plain text where a list belongs.
 */
export const argumentsOf = (written: readonly ReadArgument[], schema: JsonValue): JsonObject => {
  const properties = schemaProperties(schema);
  const args = new Map<string, JsonValue>();
  for (const argument of written) {
    const text = 'text' in argument ? argument.text : '';
    const [[name, value] = [argument.name, text]] = Object.entries(coerceArguments([[argument.name, text]], schema));
    const earlier = args.get(name);
    const given = 'text' in argument ? value : argument.value;
    if (Array.isArray(earlier) && Array.isArray(given) && isList(properties[name])) {
      args.set(name, [...earlier, ...given]);
      continue;
    }
    if (args.has(name))
      throw new UsageError(`the argument ${name} is given twice; a list is written --arg '${name}:=["a","b"]'`);
    if ('text' in argument && typeof value === 'string' && isList(properties[name])) {
      const list = JSON.stringify([value]);
      throw new UsageError(
        `--arg ${argument.name}=: ${name} is a list; write it --arg ${shellQuote(`${name}:=${list}`)}`,
      );
    }
    args.set(name, given);
  }
  // fromEntries defines own properties, so a name such as `__proto__` stays a plain name.
  return Object.fromEntries(args);
};

/** Arguments without files that are still to be read, and by their values the files that are to be uploaded. */
export type ReadFiles = { readonly written: readonly ReadArgument[]; readonly uploads: ReadonlyMap<JsonValue, string> };

/** Reads the files that are texts to the schema; one that is a resource gets a value that stands for it until it has an id. */
export const readFiles = (written: readonly WrittenArgument[], schema: JsonValue): ReadFiles => {
  const properties = schemaProperties(schema);
  const names = new Map(Object.keys(properties).map((name) => [normaliseKey(name), name]));
  const uploads = new Map<JsonValue, string>();
  const read = written.map((argument): ReadArgument => {
    if (!('file' in argument)) return argument;
    const { name, file } = argument;
    const property = properties[Object.hasOwn(properties, name) ? name : (names.get(normaliseKey(name)) ?? name)];
    if (!isResourceSchema(property) && !isResourceList(property)) return { name, text: textOfFile(file, name) };
    const upload = { $resource: file };
    uploads.set(upload, file);
    return { name, value: isResourceSchema(property) ? upload : [upload] };
  });
  return { written: read, uploads };
};

/** The same for what a form was answered: `@path` where the schema declares a resource. */
export const withAnsweredFiles = (
  answers: JsonObject,
  schema: JsonValue,
): { readonly arguments: JsonObject; readonly uploads: ReadonlyMap<JsonValue, string> } => {
  const properties = schemaProperties(schema);
  const uploads = new Map<JsonValue, string>();
  const args = Object.entries(answers).map(([name, value]): [string, JsonValue] => {
    if (typeof value !== 'string' || !value.startsWith('@') || !isResourceSchema(properties[name]))
      return [name, value];
    const upload = { $resource: value.slice(1) };
    uploads.set(upload, value.slice(1));
    return [name, upload];
  });
  return { arguments: Object.fromEntries(args), uploads };
};

const isList = (schema: JsonValue | undefined): boolean => isJsonObject(schema) && schema['type'] === 'array';

/** A list of resources takes one file by `name=@file`. */
const isResourceList = (schema: JsonValue | undefined): boolean =>
  isJsonObject(schema) && schema['type'] === 'array' && isResourceSchema(schema['items']);

/** The JSON value of an option. */
export const jsonOf = (text: string, option: string): JsonValue => {
  const parsed = parseJson(text, DEFAULT_LIMITS);
  if (parsed.ok) return parsed.value as JsonValue;
  const { pointer, message } = parsed.issue;
  throw new UsageError(`${option}${pointer === '' ? '' : ` at ${pointer}`} ${message}`);
};

/** Before anything is asked or sent: a mistyped path must not cost an upload or an answer. */
const presentFile = (path: string, name: string): string => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) throw new UsageError(`--arg ${name}=@${path}: this is a directory`);
  if (found !== undefined) return path;
  throw new UsageError(`--arg ${name}=@${path}: there is no such file; a text that begins with @ is written @@`);
};

const textOfFile = (path: string, name: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8 text' : (error as Error).message;
    throw new UsageError(`--arg ${name}=@${path}: ${reason}; a text that begins with @ is written @@`);
  }
};

/** `echo` ends its line, and nobody means that break to be part of the value. */
const withoutLastBreak = (text: string): string => text.replace(/\r?\n$/, '');
