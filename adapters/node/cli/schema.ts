import type { Command } from 'commander';
import process from 'node:process';
import { suggestName } from '../../../src/lib/suggest.ts';
import { UsageError } from './exit.ts';
import { printJson } from './json-output.ts';

export const registerSchemaCommand = (program: Command): void => {
  program
    .command('schema')
    .description('print a JSON Schema of the protocol, or list them; no server is needed')
    .argument('[schema]', 'name of the schema')
    .action(schemaCommand);
};

/** `vcp schema [name]`: the generated JSON Schemas, from this installation; no server is asked. */
const schemaCommand = async (name: string | undefined): Promise<void> => {
  const schemas = await installedSchemas();
  if (name === undefined) {
    process.stdout.write(`${[...schemas.keys()].join('\n')}\n`);
    return;
  }
  const schema = schemas.get(name);
  if (schema === undefined) {
    const near = suggestName(name, schemas.keys());
    const hint = near === null ? '"vcp schema" lists them' : `did you mean "${near}"?`;
    throw new UsageError(`there is no schema "${name}"; ${hint}`);
  }
  printJson(schema);
};

export const installedSchemas = async (): Promise<ReadonlyMap<string, unknown>> => {
  const { readGeneratedDocuments } = await import('../server-documents.ts');
  const { serverRoot } = await import('../server-root.ts');
  return (await readGeneratedDocuments(serverRoot)).schemas;
};
