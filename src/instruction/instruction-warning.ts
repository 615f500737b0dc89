/** What was odd about a block that can be run all the same. `docs/instruction-protocol.md` prints these. */
export const INSTRUCTION_WARNINGS = {
  REPEATED_KEY: 'A key stands more than once, however it is spelled; the last value was used.',
  EXAMPLE_SKIPPED: 'A field in quotes of an example was left out.',
  UNKNOWN_CONTROL_VALUE: 'A control field has a value that it does not know, and was left out.',
} as const;

export type InstructionWarning = {
  readonly code: keyof typeof INSTRUCTION_WARNINGS;
  readonly field: string | null;
  readonly message: string;
};
