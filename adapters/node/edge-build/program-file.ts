import { join } from 'node:path';

/** A module of the worker's own: TypeScript in the repository, JavaScript in the package. */
export const programFile = (root: string, name: string): string =>
  join(root, 'adapters', 'cloudflare', `${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`);
