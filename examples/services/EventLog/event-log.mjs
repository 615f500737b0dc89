// A service: it runs beside calls, hears of every event, and keeps the newest in a file.
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const EVERY_MS = 1_000;
let file;
let kept = [];
let hasChanged = false;
let timer;

export function initialize({ config, dataDirectory, onEvent, push, logger }) {
  file = join(dataDirectory, 'events.ndjson');
  onEvent({}, (event) => {
    kept = [...kept.slice(1 - Number(config.KEPT_EVENTS)), event];
    hasChanged = true;
    // What everybody may know: that a tool failed, not with what.
    const { type, toolName, data } = event;
    if (type === 'result' && data.status === 'error') push('failed', { tool: toolName, errorCode: data.errorCode });
  });
  timer = setInterval(() => {
    write().catch((error) => logger.error('event-log.not-written', { reason: error.message }));
  }, EVERY_MS);
}

export async function shutdown() {
  clearInterval(timer);
  await write();
}

/** Whole or not at all, whoever reads it meanwhile. */
async function write() {
  if (!hasChanged) return;
  hasChanged = false;
  await writeFile(`${file}.new`, kept.map((event) => `${JSON.stringify(event)}\n`).join(''), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
