import { accessSync, constants, existsSync, statSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { formatBytes } from '../../../../src/lib/bytes.ts';
import type { Limits } from '../../../../src/lib/limits.ts';
import type { Configuration } from '../../../../src/server/configuration.ts';
import { KEY_FILE } from '../../api-key.ts';
import { keysFileOf, openToOthers } from '../../keys-file.ts';
import { shellQuote } from '../shell-quote.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

/** Whether results can be kept, and whether the key is kept from others. */
export const checkDataDirectory = (
  configuration: Configuration,
  { freeDiskBytes }: Pick<Limits, 'freeDiskBytes'>,
): Finding[] => {
  const { VCP_DATA_DIR, VCP_API_KEY } = configuration;
  const directory = resolve(VCP_DATA_DIR);
  // A directory that is not there yet is made at the first start, in the nearest one that is.
  const existing = nearestExisting(directory);
  const isThere = existing === directory;
  const findings: Finding[] = [];
  if (!statSync(existing).isDirectory())
    findings.push(fail('data directory', `${existing} is no directory`, 'move it away, or set VCP_DATA_DIR'));
  else if (isWritable(existing))
    findings.push(ok('data directory', isThere ? directory : `${directory}, made at the first start`));
  else
    findings.push(
      fail('data directory', `${existing} may not be written`, 'give this user the right to, or set VCP_DATA_DIR'),
    );
  const { bavail, bsize } = statfsSync(existing);
  const free = `${formatBytes(bavail * bsize)} free`;
  findings.push(
    bavail * bsize < freeDiskBytes
      ? fail(
          'disk',
          `${free}, and the server is ready only with ${formatBytes(freeDiskBytes)}`,
          'make room, or lower VCP_LIMIT_FREE_DISK_BYTES: a result that cannot be stored is given once and lost',
        )
      : ok('disk', free),
  );
  return [
    ...findings,
    ...checkKey(join(directory, KEY_FILE), VCP_API_KEY !== undefined),
    ...checkKeysFile(keysFileOf(configuration)),
  ];
};

/** The keys of others, where there are any. */
const checkKeysFile = (path: string): Finding[] => {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return [];
  return openToOthers(path, mode & 0o777) === null
    ? [ok('keys', path)]
    : [warn('keys', `${path} may be opened by others (it holds hashes, no keys)`, `chmod 600 ${shellQuote(path)}`)];
};

const checkKey = (path: string, isConfigured: boolean): Finding[] => {
  if (isConfigured) return [ok('key', 'the one in VCP_API_KEY')];
  if (!existsSync(path)) return [ok('key', `${path}, made at the first start`)];
  // Windows has no such modes.
  const mode = process.platform === 'win32' ? 0o600 : statSync(path).mode & 0o777;
  return [
    (mode & 0o077) === 0
      ? ok('key', path)
      : fail(
          'key',
          `${path} can be read by others (mode ${mode.toString(8)})`,
          `chmod 600 ${shellQuote(path)}; if others use this machine, delete the file to have a new key made`,
        ),
  ];
};

const nearestExisting = (path: string): string => {
  let at = path;
  while (!existsSync(at)) at = dirname(at);
  return at;
};

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
