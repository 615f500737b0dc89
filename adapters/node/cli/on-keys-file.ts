import type { Limits } from '../../../src/lib/limits.ts';
import { KeysFileFault, keysFileOf } from '../keys-file.ts';
import { UsageError } from './exit.ts';
import { usableConfiguration } from './usable-configuration.ts';

/** Runs a command on the keys file of the configuration; what the file system refuses is told in a sentence. */
export const onKeysFile = async (command: (file: string, limits: Limits) => void | Promise<void>): Promise<void> => {
  const { configuration, limits } = usableConfiguration();
  const file = keysFileOf(configuration);
  try {
    await command(file, limits);
  } catch (error) {
    if (error instanceof KeysFileFault) throw new UsageError(error.message);
    const { code, errcode, message } = error as NodeJS.ErrnoException & { errcode?: number };
    if (errcode === SQLITE_BUSY) throw new UsageError(`others are changing ${file}; nothing was changed, try again`);
    if (code === undefined) throw error;
    throw new UsageError(`${file} cannot be used (${message}); VCP_API_KEYS_FILE or VCP_DATA_DIR say where it is`);
  }
};

const SQLITE_BUSY = 5;
