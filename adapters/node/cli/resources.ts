import type { Command } from 'commander';
import { parse } from 'content-disposition';
import { createWriteStream } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import { connect, type ConnectOptions } from './connect.ts';
import { UsageError } from './exit.ts';
import { saveFile } from './save-file.ts';
import { withServerOptions } from './server-options.ts';

type GetOptions = ConnectOptions & { readonly output?: string; readonly save?: string };

export const registerResourcesCommand = (program: Command): void => {
  const resources = program.command('resources').description('files that results have and calls can be given');
  withServerOptions(
    resources
      .command('get')
      .description('print the bytes of a resource, or save them')
      .argument('<resource>', 'id of the resource (res_…)')
      .option('-o, --output <file>', 'save to this file, which must not be there yet; "-" is stdout')
      .option('--save <directory>', 'save under its own name into this directory, which must be there')
      .action(getResource),
  );
  withServerOptions(
    resources
      .command('put')
      .description('upload files, and print the id that a call can be given for each')
      .argument('<file...>', 'files to upload')
      .option('--name <name>', 'name to keep the file under')
      .option('--type <media-type>', 'what the file is, where its bytes do not say')
      .option('--json', 'print what the server says of each file')
      .action(async (files: string[], options) => {
        const { putResources } = await import('./resources-put.ts');
        await putResources(files, options);
      }),
  );
  withServerOptions(
    resources
      .command('gc')
      .description('remove what has had its time: results, records, uploads, and bytes that nothing has any more')
      .option('--dry-run', 'only count it')
      .option('--json', 'print the counts as JSON')
      .action(async (options) => {
        const { collectResources } = await import('./resources-gc.ts');
        await collectResources(options);
      }),
  );
  withServerOptions(
    resources
      .command('link')
      .description('make an address that opens a resource without a key')
      .argument('<resource>', 'id of the resource (res_…)')
      .option('--expires <time>', 'how long it opens it, such as 90s, 10m or 12h (default: 10m)')
      .option('--json', 'print the descriptor with the address and its end')
      .action(async (id: string, options) => {
        const { linkResource } = await import('./resources-link.ts');
        await linkResource(id, options);
      }),
  );
};

const getResource = async (id: string, { output, save, ...options }: GetOptions): Promise<void> => {
  if (output !== undefined && save !== undefined) throw new UsageError('give --output or --save, not both');
  const toStdout = save === undefined && (output === undefined || output === '-');
  const content = await connect(options).getResource(id);
  if (toStdout) {
    if (output === undefined && process.stdout.isTTY && !content.contentType.startsWith('text/')) {
      await content.body.cancel();
      throw new UsageError(
        `${id} is ${content.contentType}, which is not for a terminal; give -o FILE or --save DIRECTORY`,
      );
    }
    await pipeline(content.body, process.stdout, { end: false });
    return;
  }
  if (save !== undefined) {
    process.stdout.write(`${await saveFile(save, fileNameOf(content.contentDisposition) ?? id, content)}\n`);
    return;
  }
  await pipeline(content.body, createWriteStream(output as string, { flags: 'wx' })).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw new UsageError(`${output} is there already, and is not overwritten`);
      if (error.code === 'ENOENT') throw new UsageError(`there is no directory ${dirname(output as string)}`);
      throw error;
    },
  );
  process.stdout.write(`${output}\n`);
};

/** The name in a Content-Disposition. */
const fileNameOf = (header: string): string | null => {
  try {
    return parse(header).parameters['filename'] ?? null;
  } catch {
    return null;
  }
};
