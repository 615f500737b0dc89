/** Why a block was not run, by its stable code. `docs/instruction-protocol.md` prints these. */
export const DIAGNOSTICS = {
  BLOCK_NOT_CLOSED: 'The text ended before the end marker of the block.',
  BLOCK_TOO_LARGE: 'The block has more bytes than a block may have.',
  VALUE_NOT_CLOSED: 'A value has no closing quote, or another value or the end of the block came before it.',
  VALUE_NOT_OPENED: 'A closing quote stands where no value is open.',
  VALUE_WITHOUT_KEY: 'A value has no key and colon before it on its line.',
  NESTED_BLOCK: 'A block begins inside of another, not between escaping quotes.',
  NO_TOOL_NAME: 'The block does not say which tool it calls.',
  INVALID_CONTROL: 'A control field that may not be guessed has a value that cannot be read.',
  SERIES_INCOMPLETE: 'A numbered series lacks a step.',
  SERIES_TOO_LONG: 'A numbered series has more steps than it may have.',
  NO_BLOCK: 'A text that should hold one call holds none.',
  SEVERAL_BLOCKS: 'A text that should hold one call holds several.',
  UNSUPPORTED_CONTROL: 'A control field asks for what a single call cannot do.',
} as const;

export type DiagnosticCode = keyof typeof DIAGNOSTICS;

/** Why a block was not run: a stable code, the field at fault, and a sentence that says what to write instead. */
export type Diagnostic = {
  readonly code: DiagnosticCode;
  readonly field: string | null;
  readonly message: string;
};
