import { Option, type Command } from 'commander';
import { relative, sep } from 'node:path';
import process from 'node:process';
import type { BuildReport } from '../plugin-build/build-report.ts';
import type { PluginLanguage } from '../plugin-build/new-plugin.ts';
import type { PluginCheck } from '../plugin-check/check-plugin.ts';
import { EXIT, Fault } from './exit.ts';
import { printJson } from './json-output.ts';
import { painterOf, printable } from './terminal.ts';

const LANGUAGES: readonly PluginLanguage[] = ['assemblyscript', 'typescript', 'node', 'python'];

export const registerPluginCommands = (program: Command): void => {
  const plugin = program
    .command('plugin')
    .description('make, build and check a plugin of your own; no server is needed');
  plugin
    .command('new')
    .description('make the folder of a new plugin, with a command that works')
    .argument('<name>', 'its name, and that of the folder')
    .addOption(
      new Option('--language <language>', 'what it is written in; the first two become sandboxed WebAssembly')
        .choices(LANGUAGES)
        .makeOptionMandatory(),
    )
    .option('--dir <directory>', 'where the folder is made', '.')
    .action(newPluginCommand);
  plugin
    .command('build')
    .description('compile a sandboxed plugin to the module that its manifest names')
    .argument('[directory]', 'folder of the plugin', '.')
    .option('--json', 'print JSON')
    .action(buildCommand);
  plugin
    .command('check')
    .description('build a plugin that is built, judge it as a server would, and run its contract cases')
    .argument('[directory]', 'folder of the plugin', '.')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      "\nA plugin that is a process (entryPoint.command) is run as you, with your files: read a stranger's first. It gets no\n" +
        'more of your environment than a server gives it, PATH, locale, TZ and TMPDIR, and its configuration from\n' +
        'config.env and contract-cases.json. A WebAssembly plugin runs in the sandbox.\n' +
        '\nExit codes: 0 it would be served and its cases hold, 1 something is wrong.',
    )
    .action(checkCommand);
};

/** `vcp plugin new NAME`. */
const newPluginCommand = async (
  name: string,
  { language, dir }: { readonly language: PluginLanguage; readonly dir: string },
): Promise<void> => {
  const { newPlugin } = await import('../plugin-build/new-plugin.ts');
  const { directory, files } = await withBuildFaults(() => newPlugin(name, language, dir));
  const shown = relative(process.cwd(), directory) || '.';
  const isBuilt = language === 'assemblyscript' || language === 'typescript';
  const next = [...(isBuilt ? [`vcp plugin build ${shown}`] : []), `vcp plugin check ${shown}`];
  process.stdout.write(`${files.map((file) => `${shown}${sep}${file}`).join('\n')}\n`);
  process.stderr.write(`next: ${next.join(' && ')}\n`);
};

/** `vcp plugin build`. */
const buildCommand = async (directory: string, { json }: { readonly json?: boolean }): Promise<void> => {
  const { buildPlugin } = await import('../plugin-build/build-plugin.ts');
  const report = await withBuildFaults(() => buildPlugin(directory));
  if (json) printJson(report);
  else process.stdout.write(describeBuild(report));
};

/** `vcp plugin check`. */
const checkCommand = async (directory: string, { json }: { readonly json?: boolean }): Promise<void> => {
  const { checkPlugin } = await import('../plugin-check/check-plugin.ts');
  const check = await checkPlugin(directory);
  if (check.refusal !== null || check.cases.some(({ faults }) => faults.length > 0)) process.exitCode = EXIT.toolError;
  if (json) printJson(check);
  else process.stdout.write(describeCheck(check));
};

const describeBuild = ({ file, sizeBytes, sha256, durationMs }: BuildReport): string =>
  `${relative(process.cwd(), file)}: ${sizeBytes} bytes in ${(durationMs / 1_000).toFixed(1)} s, SHA-256 ${sha256}\n`;

const describeCheck = ({ name, version, refusal, cases, warnings, notRun }: PluginCheck): string => {
  const paint = painterOf(process.stdout);
  const mark = (isGood: boolean) => (isGood ? paint('green', 'ok  ') : paint('red', 'fail'));
  const lines = [
    refusal === null
      ? `${mark(true)}  ${name} ${version} is served`
      : `${mark(false)}  not served: ${printable(refusal)}`,
    ...cases.flatMap((each) => [
      `${mark(each.faults.length === 0)}  ${printable(each.name)}`,
      ...each.faults.map((fault) => `      ${printable(fault)}`),
    ]),
    ...warnings.map((warning) => `${paint('yellow', 'note')}  ${printable(warning)}`),
    ...(notRun === null ? [] : [`no contract cases were run: ${printable(notRun)}`]),
  ];
  return `${lines.join('\n')}\n`;
};

/** What is wrong with a plugin is told as it is, without a stack. */
const withBuildFaults = async <T>(work: () => Promise<T>): Promise<T> => {
  const { PluginBuildError } = await import('../plugin-build/build-report.ts');
  try {
    return await work();
  } catch (error) {
    if (error instanceof PluginBuildError) throw new Fault(error.message);
    throw error;
  }
};
