import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GeneratedDocuments, ServerDocuments } from '../../src/server/app-environment.ts';
import { readApiPage } from './api-page.ts';

/** What comes with the server, read once, and the page over it. */
export const readServerDocuments = async (root: string): Promise<ServerDocuments> => {
  const generated = await readGeneratedDocuments(root);
  return { load: () => generated, apiPage: readApiPage(root) };
};

/** The generated schemas and the OpenAPI document. */
export const readGeneratedDocuments = async (root: string): Promise<GeneratedDocuments> => {
  const directory = join(root, 'schemas', '1.0');
  const schemas = new Map<string, unknown>();
  for (const file of (await readdir(directory)).toSorted()) {
    const name = /^(.+)\.schema\.json$/.exec(file)?.[1];
    if (name !== undefined) schemas.set(name, JSON.parse(await readFile(join(directory, file), 'utf8')));
  }
  const openapi: unknown = JSON.parse(await readFile(join(root, 'schemas', 'openapi.json'), 'utf8'));
  return { schemas, openapi };
};
