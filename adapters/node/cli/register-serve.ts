import type { Command } from 'commander';

/** Apart from what it starts: the server's modules would make every other command slow. */
export const registerServeCommand = (program: Command): void => {
  program
    .command('serve')
    .description('start the server')
    .addHelpText(
      'after',
      '\nVCP_* variables, or config.env in this directory, configure it; "vcp config" shows what is in force.',
    )
    .action(async () => {
      const { serveCommand } = await import('./serve.ts');
      await serveCommand();
    });
};
