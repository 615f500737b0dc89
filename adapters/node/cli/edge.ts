import type { Command } from 'commander';
import { relative } from 'node:path';
import process from 'node:process';
import packageJson from '../../../package.json' with { type: 'json' };
import type { EdgeBuild } from '../edge-build/build-edge.ts';
import { EXIT, Fault } from './exit.ts';
import { printJson } from './json-output.ts';
import { painterOf, printable } from './terminal.ts';

export const registerEdgeCommands = (program: Command): void => {
  const edge = program.command('edge').description('serve plugins from Cloudflare Workers; no server is needed');
  edge
    .command('build')
    .description('write the folder that "wrangler deploy" puts on Workers')
    .option('--plugins <directories...>', 'directories that hold plugins (default: those that the server would serve)')
    .option('--out <directory>', 'the folder; a wrangler.toml in it stays as it is', 'edge')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nWhat a worker cannot serve, or not hold to its limits, is left out and told with the reason; the worker tells it too.\n' +
        'Values of a config.env in the folder of a plugin become part of the worker.\n' +
        '\nExit codes: 0 the folder is written, 1 none of the plugins can be served.',
    )
    .action(buildCommand);
};

type BuildOptions = { readonly plugins?: readonly string[]; readonly out: string; readonly json?: boolean };

/** `vcp edge build`. */
const buildCommand = async ({ plugins, out, json }: BuildOptions): Promise<void> => {
  const [{ buildEdge, EdgeBuildFault }, { edgeSettings }, { serverRoot }] = await Promise.all([
    import('../edge-build/build-edge.ts'),
    import('../edge-build/edge-settings.ts'),
    import('../server-root.ts'),
  ]);
  const settings = edgeSettings(process.env);
  if (!settings.ok) throw new Fault(`the configuration is not valid: ${settings.reason}`);
  const built = await buildEdge({
    ...settings,
    pluginDirectories: plugins ?? settings.pluginDirectories,
    outDirectory: out,
    root: serverRoot,
    version: packageJson.version,
  }).catch((error: unknown) => {
    throw error instanceof EdgeBuildFault ? new Fault(error.message) : error;
  });
  if (built.served.length === 0 && built.refused.length > 0) process.exitCode = EXIT.toolError;
  if (json) return printJson(built);
  process.stdout.write(describeBuild(built));
  process.stderr.write(NEXT);
};

const describeBuild = (built: EdgeBuild): string => {
  const paint = painterOf(process.stdout);
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1_000)} kB`;
  const lines = [
    ...built.served.map((name) => `${paint('green', 'ok  ')}  ${printable(name)}`),
    ...built.refused.map(
      ({ name, location, reason }) => `${paint('yellow', 'left')}  ${printable(`${name ?? location}: ${reason}`)}`,
    ),
    `${relative(process.cwd(), built.directory) || '.'}: program ${kilobytes(built.scriptBytes)} (${kilobytes(built.scriptGzipBytes)} gzipped), guests ${kilobytes(built.guestBytes)}`,
    ...(built.keptSettings ? ['wrangler.toml was there already and is as it was'] : []),
  ];
  return `${lines.join('\n')}\n`;
};

const NEXT =
  'next: wrangler.toml names the stores; then, in that folder, "wrangler secret put VCP_API_KEY" and VCP_SIGNING_KEY, and "wrangler deploy"\n';
