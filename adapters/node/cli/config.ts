import process from 'node:process';
import { isSecretVariable } from '../../../src/server/configuration.ts';
import { readConfiguration } from '../read-configuration.ts';
import { EXIT } from './exit.ts';

/** `vcp config`: what is in force, and what is wrong with it. */
export const configCommand = (options: { readonly json?: boolean }): void => {
  const loaded = readConfiguration(process.env);
  if (!loaded.ok) {
    for (const { name, message } of loaded.errors) process.stderr.write(`${name} ${message}\n`);
    process.exitCode = EXIT.usage;
    return;
  }
  for (const { name, message } of loaded.warnings) process.stderr.write(`warning: ${name} ${message}\n`);
  const values = Object.fromEntries(
    Object.entries(loaded.configuration).map(([name, value]) => [
      name,
      isSecretVariable(name) && value !== undefined ? '********' : value,
    ]),
  );
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ configuration: values, limits: loaded.limits }, null, 2)}\n`);
    return;
  }
  for (const [name, value] of Object.entries(values))
    process.stdout.write(`${name}=${Array.isArray(value) ? value.join(',') : String(value ?? '')}\n`);
  for (const [name, value] of Object.entries(loaded.limits)) process.stdout.write(`limit ${name}=${value}\n`);
};
