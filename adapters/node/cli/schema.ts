import process from 'node:process';
import { serverRoot } from '../server-root.ts';
import { readServerDocuments } from '../server-documents.ts';
import { UsageError } from './exit.ts';

/** `vcp schema [name]`: the generated JSON Schemas, from this installation; no server is asked. */
export const schemaCommand = async (name: string | undefined): Promise<void> => {
  const { schemas } = await readServerDocuments(serverRoot);
  if (name === undefined) {
    process.stdout.write(`${[...schemas.keys()].join('\n')}\n`);
    return;
  }
  const schema = schemas.get(name);
  if (schema === undefined) throw new UsageError(`there is no schema "${name}"; "vcp schema" lists them`);
  process.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
};
