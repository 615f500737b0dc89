import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of this installation: its schemas and bundled plugins. */
export const serverRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
