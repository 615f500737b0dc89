import type { Diagnostic } from './diagnostic.ts';
import type { InstructionWarning } from './instruction-warning.ts';
import { BLOCK_END, ESCAPED_VALUE_END, ESCAPED_VALUE_START, VALUE_END, VALUE_START } from './markers.ts';

const FIELD = `key:${VALUE_START}value${VALUE_END}`;
const LONGEST_SHOWN = 40;

const valueOf = (field: string | null): string => `the value of ${field ?? 'a field'}`;

/** What can be wrong within a block, in words that tell a model what to write instead. */
export const blockFaults = {
  blockNotClosed: (): Diagnostic => ({
    code: 'BLOCK_NOT_CLOSED',
    field: null,
    message: `the block has no ${BLOCK_END}`,
  }),
  valueNotClosed: (field: string | null, isEscaped: boolean): Diagnostic => ({
    code: 'VALUE_NOT_CLOSED',
    field,
    message: `${valueOf(field)} has no closing ${isEscaped ? ESCAPED_VALUE_END : VALUE_END}`,
  }),
  valueSwallowedNext: (field: string | null, opening: string): Diagnostic => ({
    code: 'VALUE_NOT_CLOSED',
    field,
    message: `${valueOf(field)} has no ${VALUE_END} before the next ${opening}`,
  }),
  valueNotOpened: (field: string | null): Diagnostic => ({
    code: 'VALUE_NOT_OPENED',
    field,
    message: `${valueOf(field)} has no opening ${VALUE_START}; write ${FIELD}`,
  }),
  valueWithoutKey: (raw: string): Diagnostic => {
    const shown = JSON.stringify(raw.trim().slice(0, LONGEST_SHOWN).toWellFormed());
    return { code: 'VALUE_WITHOUT_KEY', field: null, message: `the value ${shown} has no key; write ${FIELD}` };
  },
  nestedInValue: (field: string | null): Diagnostic => ({
    code: 'NESTED_BLOCK',
    field,
    message: `${valueOf(field)} holds a tool request; put it between ${ESCAPED_VALUE_START} and ${ESCAPED_VALUE_END}`,
  }),
  nestedBetweenFields: (): Diagnostic => ({
    code: 'NESTED_BLOCK',
    field: null,
    message: `a tool request begins inside of another; write ${BLOCK_END} before the next one`,
  }),
  exampleSkipped: (field: string | null): InstructionWarning => ({
    code: 'EXAMPLE_SKIPPED',
    field,
    message: `${field ?? 'a field'} stands in quotes of an example and was left out; write ${FIELD}`,
  }),
};
