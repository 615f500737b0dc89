import type { Command } from 'commander';
import process from 'node:process';
import { Configuration, isSecretVariable, limitVariable } from '../../../src/server/configuration.ts';
import { readConfiguration } from '../read-configuration.ts';
import { EXIT } from './exit.ts';
import { printJson } from './json-output.ts';

export const registerConfigCommand = (program: Command): void => {
  program
    .command('config')
    .description('print the configuration in force, secrets masked')
    .option('--json', 'print JSON')
    .action(configCommand);
};

const MASK = '********';

/** `vcp config`: what is in force, and what is wrong with it. */
const configCommand = (options: { readonly json?: boolean }): void => {
  const loaded = readConfiguration(process.env);
  if (!loaded.ok) {
    for (const { name, message } of loaded.errors) process.stderr.write(`${name} ${message}\n`);
    process.exitCode = EXIT.usage;
    return;
  }
  for (const { name, message } of loaded.warnings) process.stderr.write(`warning: ${name} ${message}\n`);
  const configuration: Record<string, unknown> = loaded.configuration;
  const values = Object.keys(Configuration.shape).map((name): [string, unknown] => {
    const value = configuration[name];
    return [name, value !== undefined && isSecretVariable(name) ? MASK : (value ?? null)];
  });
  if (options.json) {
    const json = { configuration: Object.fromEntries(values), limits: loaded.limits };
    printJson(json);
    return;
  }
  const limits = Object.entries(loaded.limits).map(([name, value]): [string, unknown] => [limitVariable(name), value]);
  for (const [name, value] of [...values, ...limits]) process.stdout.write(`${asLine(name, value)}\n`);
};

/** A line of an env file; what is not set, and what is not shown, is a remark in it. */
const asLine = (name: string, value: unknown): string => {
  if (value === null) return `# ${name} is not set`;
  if (isSecretVariable(name)) return `# ${name}=${MASK}`;
  if (Array.isArray(value)) return value.length === 0 ? `# ${name} is empty` : `${name}=${quoted(value.join(','))}`;
  return `${name}=${quoted(typeof value === 'string' ? value : JSON.stringify(value))}`;
};

/** Env files know no escaping, only three kinds of quotes: the first that the text does not hold. */
const quoted = (text: string): string => {
  if (/^[\w./:,@*+-]*$/.test(text)) return text;
  const quote = ["'", '`', '"'].find((mark) => !text.includes(mark)) ?? '';
  return `${quote}${text}${quote}`;
};
