import type { Command } from 'commander';
import process from 'node:process';
import type { PluginChange, PluginReload, PluginStatus } from '../../../src/protocol/plugin-listing.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { EXIT } from './exit.ts';
import { withServerOptions } from './server-options.ts';

type PluginsOptions = ConnectOptions & { readonly json?: boolean };

export const registerPluginsCommands = (program: Command): void => {
  const plugins = program.command('plugins').description('list the plugins of the server, switch or reload them');
  const add = (name: string, description: string, isDefault = false): Command =>
    plugins.command(name, { isDefault }).description(description).option('--json', 'print JSON');
  withServerOptions(add('list', 'list them, with their state', true).action(listPlugins));
  withServerOptions(add('enable', 'switch one on').argument('<plugin>', 'its name').action(enablePlugin));
  withServerOptions(add('disable', 'switch one off').argument('<plugin>', 'its name').action(disablePlugin));
  withServerOptions(add('reload', 'read changed plugins and configuration now').action(reloadPlugins));
};

/** `vcp plugins`: each with its state, and why it is not the newest. */
const listPlugins = async (options: PluginsOptions): Promise<void> => {
  const listing = await connect(options).listPlugins();
  print(options, listing, listing.plugins.map(summarise).join(''));
};

/** `vcp plugins enable NAME`. */
const enablePlugin = (name: string, options: PluginsOptions): Promise<void> => setEnabled(name, true, options);

/** `vcp plugins disable NAME`. */
const disablePlugin = (name: string, options: PluginsOptions): Promise<void> => setEnabled(name, false, options);

/** `vcp plugins reload`: what has changed; the exit code tells whether all of it could be taken over. */
const reloadPlugins = async (options: PluginsOptions): Promise<void> => {
  const reload = await connect(options).reloadPlugins();
  print(options, reload, describeReload(reload));
  const isWhole =
    reload.configuration.errors.length === 0 && reload.changes.every(({ change }) => change !== 'refused');
  if (!isWhole) process.exitCode = EXIT.toolError;
};

const setEnabled = async (name: string, enabled: boolean, options: PluginsOptions): Promise<void> => {
  const status = await connect(options).setPluginEnabled(name, enabled);
  print(options, status, summarise(status));
};

const print = ({ json }: PluginsOptions, whole: object, text: string): void =>
  void process.stdout.write(json ? `${JSON.stringify(whole, null, 2)}\n` : text);

const summarise = ({ name, version, location, state, reason }: PluginStatus): string =>
  [
    `${state.padEnd(8)} ${name ?? '(no name)'}${version === null ? '' : ` ${version}`}  ${location}`,
    ...(reason === null ? [] : [`  ${version === null ? '' : 'the newest is refused: '}${reason}`]),
    '',
  ].join('\n');

const describeReload = ({ changes, configuration }: PluginReload): string => {
  const { applied, needsRestart, errors } = configuration;
  const lines = [
    ...changes.map(describeChange),
    ...applied.map((name) => `applied  ${name}`),
    ...needsRestart.map((name) => `${name} has changed and needs a restart`),
    ...errors.map(({ name, message }) => `refused  ${name} ${message}; the configuration before it stays in force`),
  ];
  return `${lines.length === 0 ? 'nothing has changed' : lines.join('\n')}\n`;
};

const describeChange = ({ change, name, version, previousVersion, location, reason }: PluginChange): string => {
  const title = `${change.padEnd(8)} ${name ?? location}`;
  if (change === 'refused') {
    return `${title}: ${reason}${version === null ? '' : `\n  version ${version} goes on in its place`}`;
  }
  const was = previousVersion === null || previousVersion === version ? '' : ` (was ${previousVersion})`;
  return `${title} ${version}${was}${reason === null ? '' : ` (${reason})`}`;
};
