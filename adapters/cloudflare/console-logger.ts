import type { LogFields, Logger } from '../../src/ports/logger.ts';
import type { Configuration } from '../../src/server/configuration.ts';

const LEVELS = ['debug', 'info', 'warning', 'error'] as const;

/** Structured logs for Workers, one JSON object a line: what goes to the console, the platform keeps and searches. */
export const createConsoleLogger = (least: Configuration['VCP_LOG_LEVEL'], now: () => number): Logger => {
  const logging =
    (level: (typeof LEVELS)[number], write: (line: string) => void) =>
    (event: string, fields: LogFields = {}): void => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
      write(JSON.stringify({ time: new Date(now()).toISOString(), level, logger: 'vcp', event, ...fields }));
    };
  return {
    debug: logging('debug', (line) => console.debug(line)),
    info: logging('info', (line) => console.info(line)),
    warn: logging('warning', (line) => console.warn(line)),
    error: logging('error', (line) => console.error(line)),
  };
};
