import { DIAGNOSTICS } from '../../src/instruction/diagnostic.ts';
import { INSTRUCTION_WARNINGS } from '../../src/instruction/instruction-warning.ts';
import { markdownTable } from './write.ts';

/** What can be wrong with a block, and what can be odd about it. */
export const instructionTables = (): Record<string, string> => ({
  diagnostics: tableOf(DIAGNOSTICS),
  'instruction-warnings': tableOf(INSTRUCTION_WARNINGS),
});

const tableOf = (meanings: Readonly<Record<string, string>>): string =>
  markdownTable(
    ['code', 'meaning'],
    Object.entries(meanings).map(([code, meaning]) => [`\`${code}\``, meaning]),
  );
