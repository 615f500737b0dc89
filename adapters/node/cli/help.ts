import { styleText } from 'node:util';
import type { Command } from 'commander';
import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';

const paint = (style: Parameters<typeof styleText>[0]) => (text: string) =>
  styleText(style, text, { validateStream: false });

/** Help as wide as the terminal, with wide characters counted as they show. Commander takes colours out where there are none. */
export const configureHelp = (program: Command): Command =>
  program.configureHelp({
    displayWidth: (text) => stringWidth(text),
    boxWrap: (text, width) => wrapAnsi(text, width),
    styleTitle: paint('bold'),
    styleOptionText: paint('cyan'),
    styleArgumentText: paint('yellow'),
    styleSubcommandText: paint('cyan'),
  });
