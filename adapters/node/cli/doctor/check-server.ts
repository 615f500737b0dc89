import { createServer } from 'node:net';
import process from 'node:process';
import { VcpProblem, type VcpClient } from '../../../../src/client/vcp-client.ts';
import type { ToolListing } from '../../../../src/protocol/tool-description.ts';
import type { Configuration } from '../../../../src/server/configuration.ts';
import { connect, type ConnectOptions } from '../connect.ts';
import { explain } from '../exit.ts';
import { printable } from '../terminal.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

/** Milliseconds that the server has for each answer. */
const PATIENCE_MS = 3_000;

export type ServerCheck = { readonly findings: readonly Finding[]; readonly isRunning: boolean };

/** Whether a server answers where it should, knows our key and serves its plugins; when none does, whether it could start. */
export const checkServer = async (options: ConnectOptions, configuration: Configuration): Promise<ServerCheck> => {
  let client: VcpClient;
  try {
    client = connect(options);
  } catch (error) {
    // Without a key nothing but the port can be looked at.
    const port = await checkPort(configuration);
    return {
      findings: [port, warn('server', explain(error), 'start the server once: "vcp serve" makes a key')],
      isRunning: false,
    };
  }
  try {
    const { version } = await client.getVersion({ signal: AbortSignal.timeout(PATIENCE_MS) });
    return { findings: [ok('server', `version ${version} answers`), ...(await checkTools(client))], isRunning: true };
  } catch (error) {
    const isElsewhere = options.url !== undefined || process.env['VCP_URL'] !== undefined;
    const silent = isTimeout(error) ? `it did not answer within ${PATIENCE_MS} ms` : explain(error);
    if (isElsewhere)
      return { findings: [fail('server', silent, 'start it, or correct the address')], isRunning: false };
    return { findings: [await checkPort(configuration)], isRunning: false };
  }
};

const checkTools = async (client: VcpClient): Promise<Finding[]> => {
  let listing: ToolListing;
  try {
    listing = await client.listTools({ refused: true, signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (error) {
    const isKey = error instanceof VcpProblem && error.problem.status === 401;
    return [
      isKey
        ? fail('key', 'the server does not know it', 'give --key or VCP_API_KEY, or run where its data directory is')
        : fail('tools', explain(error), 'see the log of the server'),
    ];
  }
  const { tools, refused = [] } = listing;
  const names = tools.map(({ name, enabled }) => (enabled ? name : `${name} (switched off)`)).join(', ');
  return [
    tools.length === 0
      ? warn('tools', 'none are served', 'VCP_PLUGIN_DIRS says where plugins are')
      : ok('tools', printable(names)),
    ...refused.map(({ name, location, reason }) =>
      fail('plugin', printable(`${name ?? '(no name)'} is refused: ${reason}`), `mend ${location}`),
    ),
  ];
};

/** With no server of ours on it, the port has to be free for one. */
const checkPort = ({ VCP_HOST, VCP_PORT }: Configuration): Promise<Finding> =>
  new Promise((resolve) => {
    const probe = createServer();
    const place = `port ${VCP_PORT} of ${VCP_HOST}`;
    probe.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(
        code === 'EADDRINUSE'
          ? fail('port', `${place} is in use by something that is not a vcp-runtime`, 'stop that, or set VCP_PORT')
          : fail('port', `${place} cannot be listened on (${code})`, 'set VCP_HOST or VCP_PORT'),
      ),
    );
    probe.listen(VCP_PORT, VCP_HOST, () =>
      probe.close(() => resolve(ok('port', `${place} is free; no server is running`))),
    );
  });

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';
