export type LogFields = { readonly [name: string]: string | number | boolean | null | undefined };

/** One structured event per call. Fields carry ids, codes and figures; never payloads, Base64 or secrets. */
export type Logger = {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
};
