/** A fault for the log: its stack where it has one. */
export const describeFault = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
