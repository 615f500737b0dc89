import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EdgePlugin } from './edge-plugin.ts';
import { programFile } from './program-file.ts';

export type WorkerEntryOptions = {
  /** Directory of the server's own files. */
  readonly root: string;
  readonly version: string;
  readonly plugins: readonly EdgePlugin[];
  /** The file in the deployment that a guest is written to. */
  fileOf(plugin: EdgePlugin): string;
};

/** What the entry imports the documents by, which are a part of their own. */
export const DOCUMENTS = 'vcp:documents';

/** The module of the documents that a server hands out: data as large as a quarter of the program, seldom asked for. */
export const writeDocuments = (root: string): string => {
  const schemas = readdirSync(join(root, 'schemas', '1.0'))
    .filter((file) => file.endsWith('.schema.json'))
    .toSorted();
  const imports = [
    `import openapi from ${text(join(root, 'schemas', 'openapi.json'))};`,
    ...schemas.map((file, index) => `import schema${index} from ${text(join(root, 'schemas', '1.0', file))};`),
  ];
  const named = schemas.map((file, index) => `[${text(file.replace(/\.schema\.json$/, ''))}, schema${index}]`);
  return `${imports.join('\n')}
export default { openapi, schemas: new Map([${named.join(', ')}]) };
`;
};

/** The program of a worker: the server, and the plugins that it was built with. */
export const writeWorkerEntry = ({ root, version, plugins, fileOf }: WorkerEntryOptions): string => {
  const imports = [
    `import { waitUntil } from 'cloudflare:workers';`,
    `import { createWorker } from ${text(programFile(root, 'create-worker'))};`,
    // The platform looks for the class among the exports.
    `export { EventObject } from ${text(programFile(root, 'events/event-object'))};`,
    ...plugins.flatMap((plugin, index) => importOf(plugin, index, fileOf)),
  ];
  return `${imports.join('\n')}
export default createWorker({
  version: ${text(version)},
  waitUntil,
  documents: { load: async () => (await import(${text(DOCUMENTS)})).default },
  plugins: [
${plugins.map((plugin, index) => `    ${describe(plugin, index)},`).join('\n')}
  ],
});
`;
};

const importOf = (plugin: EdgePlugin, index: number, fileOf: WorkerEntryOptions['fileOf']): string[] => {
  if (plugin.code === null) return [];
  return plugin.code.type === 'guest'
    ? [`import guest${index} from ${text(`./${fileOf(plugin)}`)};`]
    : [`import * as module${index} from ${text(plugin.code.path)};`];
};

const describe = ({ location, manifest, refusal, configuration, code }: EdgePlugin, index: number): string => {
  const facts = text({ location, manifest, refusal, configuration }).slice(0, -1);
  if (code === null) return `${facts}}`;
  return code.type === 'guest'
    ? `${facts}, guest: { digest: ${text(code.guest.digest)}, module: guest${index} } }`
    : `${facts}, module: module${index} }`;
};

/** JSON is JavaScript too. */
const text = (value: unknown): string => JSON.stringify(value);
