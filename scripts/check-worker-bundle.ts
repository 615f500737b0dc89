// What is deployed on Workers must stay small, make no code while it runs, and need little of Node.
import { join } from 'node:path';
import process from 'node:process';
import { bundleWorker } from '../adapters/node/edge-build/bundle-worker.ts';
import { writeReceiverEntry } from '../adapters/node/edge-build/receiver-entry.ts';
import { writeWorkerEntry } from '../adapters/node/edge-build/worker-entry.ts';
import packageJson from '../package.json' with { type: 'json' };
import { root } from './lib/repository.ts';

/** Bytes of the documents that it hands out, gzipped: a part that is loaded when somebody asks for one. */
const DOCUMENT_BUDGET_BYTES = 60_000;
/**
 * What the platform gives and we need: hashes that take their bytes piece by piece, and a comparison in constant time; to
 * know in a promise which request it belongs to; the class that Durable Objects come from, and what keeps an invocation alive.
 */
const NEEDED = new Set(['node:crypto', 'node:async_hooks', 'cloudflare:workers']);
const GENERATES_CODE = /\bnew Function\b|(?<![.\w$])eval\(|=\s*Function[;,]/;
const { version } = packageJson;

/** Each program with the bytes that it may have, gzipped. */
const PROGRAMS = [
  {
    // Core and routes.
    name: 'the worker without plugins',
    entry: writeWorkerEntry({ root, version, plugins: [], fileOf: () => '' }),
    budgetBytes: 400_000,
  },
  { name: 'the receiver of callbacks', entry: writeReceiverEntry({ root, version }), budgetBytes: 200_000 },
];

for (const { name, entry, budgetBytes } of PROGRAMS) {
  const bundle = await bundleWorker({ entry, root, directory: join(root, 'edge') });
  const faults = [
    ...(bundle.gzipBytes > budgetBytes
      ? [
          `it has ${bundle.gzipBytes} bytes gzipped; ${budgetBytes} are allowed (docs/edge.md says what is left out of it, and how)`,
        ]
      : []),
    ...(bundle.documentGzipBytes > DOCUMENT_BUDGET_BYTES
      ? [`its documents have ${bundle.documentGzipBytes} bytes gzipped; ${DOCUMENT_BUDGET_BYTES} are allowed`]
      : []),
    ...bundle.platformImports
      .filter(({ module }) => !NEEDED.has(module))
      .map(({ module, by }) => `${by} imports ${module}, which a worker has not got or should not need`),
    ...bundle.files
      .map(({ path, bytes }) => ({ path, found: GENERATES_CODE.exec(new TextDecoder().decode(bytes)) }))
      .filter(({ found }) => found !== null)
      .map(({ path, found }) => `${path} makes code of text: ${found?.[0]}`),
  ];
  for (const fault of faults) console.error(fault);
  console.log(
    `${name}: ${bundle.bytes} bytes, ${bundle.gzipBytes} gzipped; documents ${bundle.documentGzipBytes} gzipped`,
  );
  if (faults.length > 0) process.exitCode = 1;
}
