import type { Command } from 'commander';
import process from 'node:process';
import type { ConnectOptions } from './connect.ts';
import type { Finding } from './doctor/finding.ts';
import { EXIT } from './exit.ts';
import { printJson } from './json-output.ts';
import { withServerOptions } from './server-options.ts';
import { painterOf, printable, type TextStyle } from './terminal.ts';

export const registerDoctorCommand = (program: Command): void => {
  withServerOptions(
    program
      .command('doctor')
      .description('find out what is wrong here, and what to do about it')
      .option('--json', 'print JSON')
      .addHelpText('after', '\nExit codes: 0 nothing is wrong (there may be warnings), 1 something is.')
      .action(doctorCommand),
  );
};

const MARKS: Readonly<Record<Finding['state'], readonly [mark: string, style: TextStyle]>> = {
  ok: ['ok  ', 'green'],
  warn: ['warn', 'yellow'],
  fail: ['fail', 'red'],
};

const doctorCommand = async ({ json, ...options }: ConnectOptions & { readonly json?: boolean }): Promise<void> => {
  const { examine } = await import('./doctor/examine.ts');
  const findings = await examine(options);
  process.exitCode = findings.some(({ state }) => state === 'fail') ? EXIT.toolError : EXIT.success;
  if (json) return printJson({ findings });
  const paint = painterOf(process.stdout);
  for (const { state, subject, detail, advice } of findings) {
    const [mark, style] = MARKS[state];
    process.stdout.write(`${paint(style, mark)}  ${subject}: ${printable(detail)}\n`);
    if (advice !== null) process.stdout.write(`      ${paint('bold', `→ ${printable(advice)}`)}\n`);
  }
};
