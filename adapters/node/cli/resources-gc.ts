import process from 'node:process';
import { formatBytes } from '../../../src/lib/bytes.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { printJson } from './json-output.ts';

type CollectOptions = ConnectOptions & { readonly dryRun?: boolean; readonly json?: boolean };

/** `vcp resources gc`: has the server remove what has had its time. */
export const collectResources = async ({ dryRun = false, json, ...options }: CollectOptions): Promise<void> => {
  const report = await connect(options).collectGarbage({ dryRun });
  if (json === true) return printJson(report);
  const { results, records, resources, blobs, bytes } = report;
  process.stdout.write(
    `${dryRun ? 'would remove' : 'removed'} ${results} results, ${records} records, ${resources} resources, ${blobs} blobs (${formatBytes(bytes)})\n`,
  );
};
