export type LogFields = { readonly [name: string]: string | number | boolean | null | undefined };

/** One structured event per call. Fields carry ids, codes and figures; never payloads, Base64 or secrets. */
export type Logger = {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
};

/**
 * A logger whose every line carries `bound` (§18.2): what works on one call is given one with the call's ids, so that
 * no line of it can lack them.
 */
export const boundLogger = (logger: Logger, bound: LogFields): Logger => ({
  debug: (event, fields) => logger.debug(event, { ...bound, ...fields }),
  info: (event, fields) => logger.info(event, { ...bound, ...fields }),
  warn: (event, fields) => logger.warn(event, { ...bound, ...fields }),
  error: (event, fields) => logger.error(event, { ...bound, ...fields }),
});
