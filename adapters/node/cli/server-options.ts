import type { Command } from 'commander';

/** Adds the options of every command that talks to a server; last, as they are the least often needed. */
export const withServerOptions = (command: Command): Command =>
  command
    .optionsGroup('Server:')
    .option('--url <url>', 'address of the server (default: VCP_URL, then VCP_HOST and VCP_PORT)')
    .option('--key <key>', 'bearer key (default: VCP_API_KEY, then the api-key file of VCP_DATA_DIR)');
