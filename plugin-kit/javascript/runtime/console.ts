import { log } from './host-api.ts';

function text(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? value : show(value))).join(' ');
}

function show(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}\n${value.stack ?? ''}`;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** Goes to the server's log when the plugin may write there, else nowhere. */
export const console = {
  debug: (...values: unknown[]): void => log.debug(text(values)),
  trace: (...values: unknown[]): void => log.debug(text(values)),
  log: (...values: unknown[]): void => log.info(text(values)),
  info: (...values: unknown[]): void => log.info(text(values)),
  warn: (...values: unknown[]): void => log.warning(text(values)),
  error: (...values: unknown[]): void => log.error(text(values)),
};
