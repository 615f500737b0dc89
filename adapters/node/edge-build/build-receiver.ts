import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Configuration } from '../../../src/server/configuration.ts';
import { createTaskTokens } from '../../../src/task/task-tokens.ts';
import { makeDirectory } from '../../fs/make-directory.ts';
import { obtainSigningKeys } from '../signing-keys.ts';
import { bundleWorker, type WorkerBundle } from './bundle-worker.ts';
import { emptyDeployFolder, HOURLY, refuseForeignFolder, SETTINGS_FILE, writeDeployFolder } from './deploy-folder.ts';
import { writeReceiverEntry } from './receiver-entry.ts';

export type ReceiverBuildOptions = {
  readonly outDirectory: string;
  /** Directory of the server's own files. */
  readonly root: string;
  readonly version: string;
  /** Of the server whose callbacks it takes. */
  readonly configuration: Pick<Configuration, 'VCP_DATA_DIR' | 'VCP_SIGNING_KEY'>;
};

export type ReceiverBuild = Pick<WorkerBundle, 'bytes' | 'gzipBytes'> & {
  readonly directory: string;
  /** Whether wrangler.toml was there before, and was left alone. */
  readonly keptSettings: boolean;
  /** What `VCP_TASK_PUBLIC_KEYS` has to be. */
  readonly publicKeys: string;
  /** Whether wrangler.toml says so. */
  readonly knowsKeys: boolean;
};

/** Writes the folder of a receiver of callbacks: it verifies tokens of the server that is configured here. */
export const buildReceiver = async ({
  outDirectory,
  root,
  version,
  configuration,
}: ReceiverBuildOptions): Promise<ReceiverBuild> => {
  const directory = resolve(outDirectory);
  await refuseForeignFolder(directory);
  const dataDirectory = resolve(configuration.VCP_DATA_DIR);
  // As a server does at its first start, which may not have been yet.
  await makeDirectory(dataDirectory, 0o700);
  const secrets = await obtainSigningKeys(configuration.VCP_SIGNING_KEY, dataDirectory);
  const publicKeys = JSON.stringify(await createTaskTokens({ secrets, now: Date.now }).publicKeys());
  const bundle = await bundleWorker({ entry: writeReceiverEntry({ root, version }), root, directory });
  await emptyDeployFolder(directory);
  const keptSettings = await writeDeployFolder(bundle, directory, {
    name: 'vcp-receiver',
    bucket: 'vcp-inbox',
    database: 'vcp-inbox',
    secrets: ['VCP_API_KEY'],
    variables: { VCP_TASK_PUBLIC_KEYS: publicKeys },
    crons: [HOURLY],
    upkeep: 'Removes what has had its time.',
  });
  const settings = await readFile(join(directory, SETTINGS_FILE), 'utf8');
  const { bytes, gzipBytes } = bundle;
  return {
    directory,
    keptSettings,
    publicKeys,
    knowsKeys: settings.includes(JSON.stringify(publicKeys)),
    bytes,
    gzipBytes,
  };
};
