import type { Command } from 'commander';
import process from 'node:process';
import packageJson from '../../../package.json' with { type: 'json' };
import { PROTOCOL_VERSION } from '../../../src/protocol/version.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { explain } from './exit.ts';
import { printJson } from './json-output.ts';
import { withServerOptions } from './server-options.ts';

/** Milliseconds that the server has to answer. */
const PATIENCE_MS = 2_000;

export const registerVersionCommand = (program: Command): void => {
  withServerOptions(
    program
      .command('version')
      .description('print the versions of this program and of the server')
      .option('--json', 'print JSON')
      .action(versionCommand),
  );
};

/** `vcp version`: what runs here, and there. A server that is away is no error: this program has a version without it. */
const versionCommand = async (options: ConnectOptions & { readonly json?: boolean }): Promise<void> => {
  const client = { version: packageJson.version, protocol: PROTOCOL_VERSION, node: process.versions.node };
  const server = await connect(options)
    .getVersion({ signal: AbortSignal.timeout(PATIENCE_MS) })
    .catch((error: unknown) => {
      process.stderr.write(`vcp: ${explain(error)}\n`);
      return null;
    });
  if (options.json) return printJson({ client, server });
  process.stdout.write(`vcp     ${client.version} (protocol ${client.protocol}, Node.js ${client.node})\n`);
  process.stdout.write(
    server === null ? 'server  none\n' : `server  ${server.version} (protocol ${server.protocol.version})\n`,
  );
};
