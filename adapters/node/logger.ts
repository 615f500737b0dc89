import { compareLogLevel, configure, getLogger, type LogLevel, type LogRecord } from '@logtape/logtape';
import { writeSync } from 'node:fs';
import type { Logger } from '../../src/ports/logger.ts';

const STDERR = 2;

/** A logger whose least severe level can be changed. */
export type NodeLogger = Logger & { setLevel(level: LogLevel): void };

/**
 * Structured logs, one JSON object a line on stderr: stdout belongs to data. The lines of one turn of the event loop
 * are written together; what is still held when the process ends in order is written then.
 */
export const createNodeLogger = async (initialLevel: LogLevel): Promise<NodeLogger> => {
  let level = initialLevel;
  const sink = createLineSink();
  await configure({
    sinks: { stderr: sink.write },
    filters: { level: (record) => compareLogLevel(record.level, level) >= 0 },
    loggers: [
      { category: ['vcp'], sinks: ['stderr'], filters: ['level'], lowestLevel: 'debug' },
      { category: ['logtape', 'meta'], sinks: ['stderr'], lowestLevel: 'warning' },
    ],
    reset: true,
  });
  process.on('exit', sink.flush);
  const logger = getLogger(['vcp']);
  return {
    setLevel: (wanted) => {
      level = wanted;
    },
    debug: (event, fields) => logger.debug(event, fields as Record<string, unknown>),
    info: (event, fields) => logger.info(event, fields as Record<string, unknown>),
    warn: (event, fields) => logger.warn(event, fields as Record<string, unknown>),
    error: (event, fields) => logger.error(event, fields as Record<string, unknown>),
  };
};

const createLineSink = () => {
  let lines: string[] = [];
  const flush = () => {
    if (lines.length === 0) return;
    const bytes = Buffer.from(lines.join(''));
    lines = [];
    try {
      for (let written = 0; written < bytes.length;) written += writeSync(STDERR, bytes, written);
    } catch {
      // A reader that has gone, or is too slow for a pipe that does not block, must not take the server down.
    }
  };
  return {
    flush,
    write: (record: LogRecord) => {
      if (lines.push(asJsonLine(record)) === 1) setImmediate(flush);
    },
  };
};

/** The library's own formatter does more (templates, nested values) and costs several times as much per call. */
const asJsonLine = ({ timestamp, level, category, rawMessage, properties }: LogRecord): string =>
  `${JSON.stringify({
    time: new Date(timestamp).toISOString(),
    level,
    logger: category.join('.'),
    event: rawMessage,
    ...properties,
  })}\n`;
