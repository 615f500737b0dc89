/** Why a block was not run: a stable code, the field at fault, and a sentence that says what to write instead. */
export type Diagnostic = {
  readonly code:
    | 'NO_BLOCK'
    | 'SEVERAL_BLOCKS'
    | 'BLOCK_NOT_CLOSED'
    | 'VALUE_NOT_CLOSED'
    | 'VALUE_WITHOUT_KEY'
    | 'NESTED_BLOCK'
    | 'NO_TOOL_NAME'
    | 'UNSUPPORTED_CONTROL';
  readonly field: string | null;
  readonly message: string;
};
