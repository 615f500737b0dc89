import { Argument, type Command } from 'commander';
import process from 'node:process';
import { COMPLETION_SCRIPTS, type Shell } from './completion/scripts.ts';

const SHELLS = Object.keys(COMPLETION_SCRIPTS) as Shell[];

export const registerCompletionCommands = (program: Command): void => {
  program
    .command('completion')
    .description('print a script that lets a shell complete commands, options, tools and their arguments')
    .addArgument(new Argument('<shell>', 'the shell that will read the script').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => void process.stdout.write(COMPLETION_SCRIPTS[shell]));

  // What those scripts ask. Whatever goes wrong, a shell that waits for completions wants no message.
  program
    .command('complete', { hidden: true })
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .argument('[words...]')
    .action(async (shell: Shell, words: string[]) => {
      const { printCompletions } = await import('./completion/print-completions.ts');
      await printCompletions(program, shell, words);
    });
};

const HELP = `
To have it in every new shell:
  bash  echo 'eval "$(vcp completion bash)"' >> ~/.bashrc
  zsh   echo 'eval "$(vcp completion zsh)"' >> ~/.zshrc         (after compinit)
  fish  vcp completion fish > ~/.config/fish/completions/vcp.fish

Tools, commands, arguments and ids come from the server; one that does not answer
within 500 ms (VCP_COMPLETION_MS) is left out, and only what vcp itself knows is completed.`;
