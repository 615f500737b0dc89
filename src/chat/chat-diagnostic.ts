/** What preparing a request met and went on without: a stable code, what it is about, and a sentence for its author. */
export type ChatDiagnostic = {
  readonly code:
    | 'UNKNOWN_VARIABLE'
    | 'VARIABLE_UNAVAILABLE'
    | 'VARIABLE_CYCLE'
    | 'VARIABLE_TOO_DEEP'
    | 'VARIABLE_TOO_LARGE'
    | 'TOO_MANY_VARIABLES'
    | 'PREPROCESSOR_FAILED';
  /** The variable as it was written between the braces, or the preprocessor. */
  readonly name: string;
  readonly message: string;
};

/** Diagnostics, each once and no more than `most`: a text may hold a hundred thousand tokens that nobody knows. */
export type DiagnosticList = {
  add(code: ChatDiagnostic['code'], name: string, message: string): void;
  list(): readonly ChatDiagnostic[];
};

export const createDiagnosticList = (most: number): DiagnosticList => {
  const found = new Map<string, ChatDiagnostic>();
  return {
    add: (code, name, message) => {
      const key = `${code} ${name}`;
      if (found.size < most && !found.has(key)) found.set(key, { code, name, message });
    },
    list: () => [...found.values()],
  };
};
