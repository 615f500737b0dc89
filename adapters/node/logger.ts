import { configure, getJsonLinesFormatter, getLogger, getStreamSink, type LogLevel } from '@logtape/logtape';
import { Writable } from 'node:stream';
import type { Logger } from '../../src/ports/logger.ts';

/** Structured logs, one JSON object a line on stderr: stdout belongs to data. */
export const createNodeLogger = async (level: LogLevel): Promise<Logger> => {
  await configure({
    sinks: { stderr: getStreamSink(Writable.toWeb(process.stderr) as WritableStream, { formatter: getJsonLinesFormatter({ properties: 'flatten' }) }) },
    loggers: [
      { category: ['vcp'], sinks: ['stderr'], lowestLevel: level },
      { category: ['logtape', 'meta'], sinks: ['stderr'], lowestLevel: 'warning' },
    ],
    reset: true,
  });
  const logger = getLogger(['vcp']);
  return {
    debug: (event, fields) => logger.debug(event, { ...fields }),
    info: (event, fields) => logger.info(event, { ...fields }),
    warn: (event, fields) => logger.warn(event, { ...fields }),
    error: (event, fields) => logger.error(event, { ...fields }),
  };
};
