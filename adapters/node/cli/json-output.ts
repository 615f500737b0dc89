import process from 'node:process';
import { painterOf, type Paint } from './terminal.ts';

/** Prints a value as indented JSON on stdout, in colours where a person is looking. */
export const printJson = (value: unknown): void => {
  const text = JSON.stringify(value, null, 2);
  process.stdout.write(`${process.stdout.isTTY ? coloured(escapedJson(text), painterOf(process.stdout)) : text}\n`);
};

/**
 * JSON leaves U+007F to U+009F as they are, and terminals take some of them as orders; those of the writing direction show
 * text in another order than it has.
 */
export const escapedJson = (text: string): string =>
  text.replaceAll(
    /[\u{7f}-\u{9f}]|\p{Bidi_Control}/gu,
    (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  );

const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Colours the tokens of a JSON text. */
export const coloured = (json: string, paint: Paint): string =>
  json.replaceAll(TOKEN, (token: string, text: string | undefined, colon: string | undefined) => {
    if (text === undefined) return paint(/^[tfn]/.test(token) ? 'magenta' : 'yellow', token);
    return colon === undefined ? paint('green', text) : paint('cyan', text) + colon;
  });
