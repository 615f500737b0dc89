/**
 * `npm run gen`: writes what is derived from the sources: `schemas/`, the tables and the command reference of `docs/`, and
 * the views in `test/fixtures/projections`.
 * A difference after running it means that a source was changed without its derivatives; `npm run check` fails on that (`--check`).
 */
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import * as protocol from '../src/protocol/index.ts';
import packageJson from '../package.json' with { type: 'json' };
import { capabilitiesTable } from './gen/capabilities-table.ts';
import { cliReference } from './gen/cli-reference.ts';
import { configurationTable } from './gen/configuration-table.ts';
import { instructionTables } from './gen/instruction-tables.ts';
import { metricsTable } from './gen/metrics-table.ts';
import { buildOpenApiDocument, buildReceiverDocument } from './gen/openapi.ts';
import { skipsTable } from './gen/skips-table.ts';
import { projectionFixtures } from './gen/projection-fixtures.ts';
import { protocolTables } from './gen/protocol-tables.ts';
import { removeStale, replaceSection, writeIfChanged } from './gen/write.ts';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const SCHEMAS = join(ROOT, 'schemas', '1.0');

const { schemas } = z.toJSONSchema(z.globalRegistry, { uri: (id) => `urn:vcp:schema:1.0:${id}`, io: 'input' });
await mkdir(SCHEMAS, { recursive: true });
const current = new Set(Object.keys(schemas).map((id) => `${id}.schema.json`));
for (const file of await readdir(SCHEMAS)) if (!current.has(file)) await removeStale(join(SCHEMAS, file));
for (const [id, schema] of Object.entries(schemas)) {
  await writeIfChanged(join(SCHEMAS, `${id}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`);
}
await writeIfChanged(
  join(ROOT, 'schemas', 'openapi.json'),
  `${JSON.stringify(buildOpenApiDocument(packageJson.version), null, 2)}\n`,
);

await writeIfChanged(
  join(ROOT, 'schemas', 'openapi-receiver.json'),
  `${JSON.stringify(buildReceiverDocument(packageJson.version), null, 2)}\n`,
);

for (const [section, table] of Object.entries(protocolTables(protocol))) {
  await replaceSection(join(ROOT, 'docs', 'protocol.md'), section, table);
}
for (const [section, table] of Object.entries(instructionTables())) {
  await replaceSection(join(ROOT, 'docs', 'instruction-protocol.md'), section, table);
}
await replaceSection(join(ROOT, 'docs', 'capabilities.md'), 'capabilities', capabilitiesTable());
await replaceSection(join(ROOT, 'docs', 'capabilities.md'), 'runtime-skips', skipsTable());
await replaceSection(join(ROOT, 'docs', 'operations.md'), 'metrics', metricsTable());
await replaceSection(join(ROOT, 'docs', 'configuration.md'), 'variables', configurationTable());
await replaceSection(join(ROOT, 'docs', 'cli.md'), 'reference', cliReference());
for (const [path, text] of projectionFixtures()) await writeIfChanged(join(ROOT, path), text);
