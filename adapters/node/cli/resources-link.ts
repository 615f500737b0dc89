import process from 'node:process';
import { secondsOf } from '../../../src/lib/duration.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { UsageError } from './exit.ts';
import { printJson } from './json-output.ts';

type LinkOptions = ConnectOptions & { readonly expires?: string; readonly json?: boolean };

/** `vcp resources link`: an address that opens a resource to whoever has it, for a time. */
export const linkResource = async (id: string, { expires, json, ...options }: LinkOptions): Promise<void> => {
  const seconds = expires === undefined ? undefined : secondsOf(expires);
  if (seconds === null || seconds === 0) throw new UsageError('--expires is a time such as 90s, 10m or 12h');
  const link = await connect(options).createResourceLink(
    id,
    seconds === undefined ? {} : { expiresInMs: seconds * 1_000 },
  );
  if (json === true) return printJson(link);
  process.stdout.write(`${link.url}\n`);
  process.stderr.write(`opens ${id} without a key until ${link.access.expiresAt}\n`);
};
