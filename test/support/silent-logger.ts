import type { Logger } from '../../src/ports/logger.ts';

const silent = () => undefined;

/** For tests that do not read the log. */
export const silentLogger: Logger = { debug: silent, info: silent, warn: silent, error: silent };
