// A worker that has its files ready: what is measured is what the server does with them. Each file differs from all before.
import { randomBytes } from 'node:crypto';
import { linkSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const HEAD = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAAAAAD', 'base64');
const made = new Map();
let count = 0;

const fileOf = (bytes) => {
  if (!made.has(bytes)) made.set(bytes, Buffer.concat([HEAD, randomBytes(bytes - HEAD.length)]));
  const file = made.get(bytes);
  file.writeUInt32LE((count += 1), HEAD.length + 8);
  return file;
};

/** Eight characters of Base64 are six bytes of their own: a text is changed without being made anew. */
const texts = new Map();
const textOf = (bytes) => {
  if (!texts.has(bytes)) texts.set(bytes, fileOf(bytes).toString('base64'));
  const text = texts.get(bytes);
  return text.slice(0, 60) + String((count += 1)).padStart(8, '0') + text.slice(68);
};

const path = (bytes, context) => {
  const file = fileOf(bytes);
  // Beside the directory of the call, where nothing removes it; so only the first call of a size writes it.
  const kept = join(process.env.VCP_PLUGIN_DATA_DIR ?? join(context.resourceDir, '..', '..'), `bench-${bytes}.png`);
  if (!made.has(kept)) {
    writeFileSync(kept, file);
    made.set(kept, openSync(kept, 'r+'));
  }
  writeSync(made.get(kept), file, HEAD.length + 8, 4, HEAD.length + 8);
  linkSync(kept, join(context.resourceDir, 'file.png'));
};

const ways = {
  nothing: () => ({ data: null }),
  base64: (bytes) => ({ data: null, resources: [{ id: 'file', base64: textOf(bytes) }] }),
  inline: (bytes) => ({ data: { file: `data:image/png;base64,${textOf(bytes)}` } }),
  localPath: (bytes, context) => {
    path(bytes, context);
    return { data: null, resources: [{ id: 'file', localPath: 'file.png' }] };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { vcp, version, invocationId, payload } = JSON.parse(line);
  if (vcp !== 'tool-invocation') return;
  const { way, bytes } = payload.arguments;
  const result = { status: 'success', ...ways[way](bytes, payload.context) };
  process.stdout.write(`${JSON.stringify({ vcp: 'tool-result', version, invocationId, payload: result })}\n`);
});
