import { CommanderError } from 'commander';
import process from 'node:process';
import { createProgram } from './cli/create-program.ts';
import { EXIT, exitCodeOf, explain } from './cli/exit.ts';

// A reader that has seen enough, such as `head`, is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.success : EXIT.toolError);
});

try {
  await createProgram().parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    // Help and version end with 0; commander has said what was wrong with everything else.
    process.exitCode = error.exitCode === 0 ? EXIT.success : EXIT.usage;
  } else {
    process.stderr.write(`vcp: ${explain(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
