import { resolve } from 'node:path';
import process from 'node:process';
import packageJson from '../../../package.json' with { type: 'json' };
import { describeFault } from '../../../src/lib/describe-fault.ts';
import { messageOf } from '../../../src/lib/message-of.ts';
import { PluginSwitchesFault } from '../../../src/ports/plugin-switches.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { ToolRegistry } from '../../../src/registry/tool-registry.ts';
import type { Configuration } from '../../../src/server/configuration.ts';
import { KEY_FILE } from '../api-key.ts';
import { ApprovalRulesFault } from '../approval-rules-file.ts';
import { KeysFileFault, keysFileOf } from '../keys-file.ts';
import { createNodeLogger } from '../logger.ts';
import { reloadAndTell } from '../plugins/reload-and-tell.ts';
import { configurationFile, readConfiguration } from '../read-configuration.ts';
import { serverRoot } from '../server-root.ts';
import { startServer, type RunningServer } from '../start-server.ts';
import { EXIT } from './exit.ts';
import { shellQuote } from './shell-quote.ts';

/** Milliseconds within which a second signal is the same wish: a terminal and a launcher may both deliver one Ctrl-C. */
const SAME_SIGNAL_MS = 500;

export type ServeOptions = {
  /** Why the runtime starts no processes, or null. */
  readonly noProcesses?: string | null;
};

/** `vcp serve`: runs until it is told to stop; a later second signal ends it at once. */
export const serveCommand = async ({ noProcesses = null }: ServeOptions = {}): Promise<void> => {
  const loaded = readConfiguration(process.env);
  if (!loaded.ok) {
    process.stderr.write('vcp: the configuration is not valid:\n');
    for (const { name, message } of loaded.errors) process.stderr.write(`  ${name} ${message}\n`);
    process.exitCode = EXIT.usage;
    return;
  }
  const { configuration, limits, warnings } = loaded;
  // Results and keys are their owners' business: what the server and its plugins write, no other user reads.
  process.umask(0o077);
  const logger = await createNodeLogger(configuration.VCP_LOG_LEVEL);
  for (const { name, message } of warnings) logger.warn('configuration.unknown', { name, reason: message });

  let server: RunningServer;
  try {
    server = await startServer({
      configuration,
      limits,
      configurationSource: {
        read: () => readConfiguration(process.env),
        file: configurationFile(),
        applyLogLevel: logger.setLevel,
      },
      logger,
      environment: process.env,
      noProcesses,
      root: serverRoot,
      version: packageJson.version,
    });
  } catch (error) {
    process.stderr.write(`vcp: the server could not start: ${startFault(error, configuration)}\n`);
    // Handles of parts that did start would keep the process alive.
    process.exit(EXIT.toolError);
  }
  // First: whoever reads the banner may stop the server in the same moment.
  listenToSignals(server, logger);
  logger.info('server.started', { url: server.url, version: packageJson.version });
  process.stdout.write(banner(server, configuration));
};

const startFault = (error: unknown, { VCP_HOST, VCP_PORT, VCP_DATA_DIR }: Configuration): string => {
  if (error instanceof KeysFileFault)
    return `${error.message}\n  mend it, or move it away to start with the default key alone`;
  if (error instanceof ApprovalRulesFault)
    return `${error.message}\n  without its rules, calls would be made that nobody approved`;
  if (error instanceof PluginSwitchesFault) return error.message;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `port ${VCP_PORT} of ${VCP_HOST} is in use; stop the other server, or set VCP_PORT`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `this machine has no address ${VCP_HOST}; set VCP_HOST`;
  if (code !== undefined && path?.startsWith(resolve(VCP_DATA_DIR))) {
    return `its data directory ${resolve(VCP_DATA_DIR)} cannot be used (${(error as Error).message}); set VCP_DATA_DIR`;
  }
  if (code === 'EACCES') return `it may not use port ${VCP_PORT} of ${VCP_HOST}, or not write its data directory`;
  return describeFault(error);
};

const listenToSignals = (server: RunningServer, logger: Logger): void => {
  let stoppedAt: number | null = null;
  const stop = (signal: NodeJS.Signals) => {
    if (stoppedAt !== null) {
      if (performance.now() - stoppedAt > SAME_SIGNAL_MS) process.exit(EXIT.toolError);
      return;
    }
    stoppedAt = performance.now();
    logger.info('server.stopping', { signal });
    if (process.stderr.isTTY)
      process.stderr.write('vcp: stopping as soon as running calls have ended (again: at once)\n');
    server.close().then(
      () => {
        logger.info('server.stopped');
        process.exit(EXIT.success);
      },
      (error: unknown) => {
        process.stderr.write(`vcp: ${messageOf(error)}\n`);
        process.exit(EXIT.toolError);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // A terminal that is closed hangs up; a server that has none is asked to read its files again, as servers are.
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  process.on('SIGHUP', hasTerminal ? stop : () => void reloadAndTell(server.plugins, logger));
};

const banner = ({ url, apiKey, opensWithApiKey, registry }: RunningServer, configuration: Configuration): string => {
  const { key, shown } = opensWithApiKey
    ? describeKey(apiKey, configuration)
    : {
        key: '$KEY',
        shown: `one of ${keysFileOf(configuration)}, in the variable KEY (the default key is switched off)`,
      };
  const served = registry.list().map(({ manifest }) => manifest.name);
  const refused = registry.refused().length;
  return [
    '',
    `vcp-runtime ${packageJson.version} listens on ${url}`,
    `tools: ${served.join(', ') || 'none'}${refused > 0 ? ` (${refused} refused: see the log, or vcp tools --refused)` : ''}`,
    `key:   ${shown}`,
    `docs:  ${url}/docs`,
    ...exampleCall(url, `"Authorization: Bearer ${key}"`, registry),
    '',
    '',
  ].join('\n');
};

/** How a shell gets at the key, and what to tell of where it is. */
const describeKey = (apiKey: string, { VCP_API_KEY, VCP_DATA_DIR }: Configuration): { key: string; shown: string } => {
  if (VCP_API_KEY === undefined) {
    const file = shellQuote(resolve(VCP_DATA_DIR, KEY_FILE));
    // A terminal is the operator's own; a log file is read by others, so there only the place of the key is told.
    return { key: `$(cat ${file})`, shown: process.stdout.isTTY ? `${apiKey} (in ${file})` : `in ${file}` };
  }
  if (process.env['VCP_API_KEY'] === VCP_API_KEY) return { key: '$VCP_API_KEY', shown: 'the one in VCP_API_KEY' };
  const file = shellQuote(resolve('config.env'));
  // What an env file may write about a value: `export`, spaces, quotes, a remark after it.
  const line = `s/^ *\\(export  *\\)*VCP_API_KEY *= *["']*\\([^"' ]*\\).*/\\2/p`;
  const read = `sed -n ${shellQuote(line)} ${file}`;
  return { key: `$(${read})`, shown: `VCP_API_KEY in ${file}` };
};

/** A call that works when it is pasted: the shortest example of a command that changes nothing, else the first there is. */
const exampleCall = (url: string, authorization: string, registry: ToolRegistry): string[] => {
  const examples = registry
    .list()
    .filter(({ enabled }) => enabled)
    .flatMap(({ manifest }) =>
      manifest.capabilities.invocationCommands.flatMap(({ idempotent, examples: given = [] }) =>
        given.map((example) => ({ idempotent, tool: manifest.name, arguments: example.arguments })),
      ),
    );
  const written = ({ tool, arguments: args }: (typeof examples)[number]) => JSON.stringify({ tool, arguments: args });
  const harmless = examples.filter(({ idempotent }) => idempotent).map(written);
  const [body] = [...harmless.toSorted((a, b) => a.length - b.length), ...examples.map(written)];
  if (body === undefined) return [];
  const type = "-H 'Content-Type: application/json'";
  return ['try:', '', `curl -sS ${url}/v1/human/tool -H ${authorization} ${type} -d ${shellQuote(body)}`];
};
