import type { Command } from 'commander';
import { relative } from 'node:path';
import process from 'node:process';
import packageJson from '../../../package.json' with { type: 'json' };
import type { EdgeBuild } from '../edge-build/build-edge.ts';
import type { ReceiverBuild } from '../edge-build/build-receiver.ts';
import { EXIT, Fault } from './exit.ts';
import { printJson } from './json-output.ts';
import { painterOf, printable } from './terminal.ts';

export const registerEdgeCommands = (program: Command): void => {
  const edge = program.command('edge').description('serve plugins from Cloudflare Workers; no server is needed');
  edge
    .command('build')
    .description('write the folder that "wrangler deploy" puts on Workers')
    .option('--plugins <directories...>', 'directories that hold plugins (default: those that the server would serve)')
    .option('--receiver', 'the receiver of callbacks for the server that is configured here, in the place of plugins')
    .option('--out <directory>', 'the folder; a wrangler.toml in it stays as it is', 'edge')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nWhat a worker cannot serve, or not hold to its limits, is left out and told with the reason; the worker tells it too.\n' +
        'Values of a config.env in the folder of a plugin become part of the worker.\n' +
        'A receiver gets the public keys that verify callbacks of the server, by its VCP_SIGNING_KEY or data directory.\n' +
        '\nExit codes: 0 the folder is written, 1 none of the plugins can be served.',
    )
    .action(buildCommand);
};

type BuildOptions = {
  readonly plugins?: readonly string[];
  readonly receiver?: boolean;
  readonly out: string;
  readonly json?: boolean;
};

/** `vcp edge build`. */
const buildCommand = async ({ plugins, receiver, out, json }: BuildOptions): Promise<void> => {
  const [{ buildEdge }, { buildReceiver }, { EdgeBuildFault }, { edgeSettings }, { serverRoot }] = await Promise.all([
    import('../edge-build/build-edge.ts'),
    import('../edge-build/build-receiver.ts'),
    import('../edge-build/deploy-folder.ts'),
    import('../edge-build/edge-settings.ts'),
    import('../server-root.ts'),
  ]);
  const settings = edgeSettings(process.env);
  if (!settings.ok) throw new Fault(`the configuration is not valid: ${settings.reason}`);
  const faultOf = (error: unknown): never => {
    throw error instanceof EdgeBuildFault ? new Fault(error.message) : error;
  };
  const folder = { ...settings, outDirectory: out, root: serverRoot, version: packageJson.version };
  if (receiver === true) {
    if (plugins !== undefined) throw new Fault('a receiver has no plugins: leave out --plugins, or --receiver');
    const built = await buildReceiver(folder).catch(faultOf);
    if (json) return printJson(built);
    process.stdout.write(describeReceiver(built));
    process.stderr.write(NEXT_OF_RECEIVER);
    return;
  }
  const built = await buildEdge({
    ...folder,
    pluginDirectories: plugins ?? settings.pluginDirectories,
  }).catch(faultOf);
  if (built.served.length === 0 && built.refused.length > 0) process.exitCode = EXIT.toolError;
  if (json) return printJson(built);
  process.stdout.write(describeBuild(built));
  process.stderr.write(NEXT);
};

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1_000)} kB`;

const shownFolder = (directory: string): string => relative(process.cwd(), directory) || '.';

const describeReceiver = ({
  directory,
  bytes,
  gzipBytes,
  keptSettings,
  knowsKeys,
  publicKeys,
}: ReceiverBuild): string =>
  [
    `${shownFolder(directory)}: a receiver of callbacks, ${kilobytes(bytes)} (${kilobytes(gzipBytes)} gzipped)`,
    ...(keptSettings ? ['wrangler.toml was there already and is as it was'] : []),
    ...(knowsKeys
      ? []
      : [`but it verifies no tokens of this server: write into it VCP_TASK_PUBLIC_KEYS = '${publicKeys}'`]),
    '',
  ].join('\n');

const describeBuild = (built: EdgeBuild): string => {
  const paint = painterOf(process.stdout);
  const lines = [
    ...built.served.map((name) => `${paint('green', 'ok  ')}  ${printable(name)}`),
    ...built.refused.map(
      ({ name, location, reason }) => `${paint('yellow', 'left')}  ${printable(`${name ?? location}: ${reason}`)}`,
    ),
    `${shownFolder(built.directory)}: program ${kilobytes(built.scriptBytes)} (${kilobytes(built.scriptGzipBytes)} gzipped), guests ${kilobytes(built.guestBytes)}`,
    ...(built.keptSettings ? ['wrangler.toml was there already and is as it was'] : []),
  ];
  return `${lines.join('\n')}\n`;
};

const NEXT =
  'next: wrangler.toml names the stores; then, in that folder, "wrangler secret put VCP_API_KEY" and VCP_SIGNING_KEY, and "wrangler deploy"\n';

const NEXT_OF_RECEIVER =
  'next: in that folder "wrangler deploy"; before the first time, make the stores that wrangler.toml names, and "wrangler secret put VCP_API_KEY".\n' +
  'The server is told of it by VCP_INBOX_URL, its address, and VCP_INBOX_KEY, that key.\n';
