import { Option, type Command } from 'commander';
import process from 'node:process';
import { ResultView } from '../../../src/protocol/invocation.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { printJson } from './json-output.ts';
import { withServerOptions } from './server-options.ts';
import { printable } from './terminal.ts';
import { wholeNumber } from './whole-number.ts';

export const registerResultsCommand = (program: Command): void => {
  withServerOptions(
    program
      .command('results')
      .description('print a stored result, or a part of it')
      .argument('<result>', 'id of the result (tr_…)')
      .addOption(
        new Option('--view <view>', 'projection to print (default: canonical, or ai with --max-characters)').choices(
          ResultView.options,
        ),
      )
      .option('--pointer <pointer>', 'JSON Pointer to a part of the view')
      .option('--offset <n>', 'first item, field or character of the part')
      .option('--limit <n>', 'most items, fields or characters of the part')
      .option('--max-characters <n>', 'of the AI view: most characters of the text, up to 200000')
      .addHelpText(
        'after',
        `
Examples:
  $ vcp results tr_… --view ai                            as a model reads it
  $ vcp results tr_… --pointer /data/items --limit 50     the first 50 items of a list`,
      )
      .action(resultsCommand),
  );
};

type ResultsOptions = ConnectOptions & {
  readonly view?: ResultView;
  readonly pointer?: string;
  readonly offset?: string;
  readonly limit?: string;
  readonly maxCharacters?: string;
};

/** `vcp results <id>`: a stored result in any view; with `--pointer`, a page of one part of it. */
const resultsCommand = async (id: string, options: ResultsOptions): Promise<void> => {
  const { pointer } = options;
  const offset = wholeNumber('--offset', options.offset);
  const limit = wholeNumber('--limit', options.limit);
  const maxCharacters = wholeNumber('--max-characters', options.maxCharacters);
  const view = options.view ?? (maxCharacters === undefined ? 'canonical' : 'ai');
  const found = await connect(options).getResult(id, {
    view,
    ...(pointer === undefined ? {} : { pointer }),
    ...(offset === undefined ? {} : { offset }),
    ...(limit === undefined ? {} : { limit }),
    ...(maxCharacters === undefined ? {} : { maxCharacters }),
  });
  if (view !== 'ai' || pointer !== undefined) return printJson(found);
  const { text } = found as { text: string };
  process.stdout.write(`${process.stdout.isTTY ? printable(text) : text}\n`);
};
