import type { ToolDescription } from '../../../src/protocol/tool-description.ts';
import { CASE_KINDS, type ContractCase } from './contract-cases.ts';

/** Every command needs a case of each kind: one line for each that is missing. */
export const missingKinds = (
  { commands, commandField }: Pick<ToolDescription, 'commands' | 'commandField'>,
  cases: readonly ContractCase[],
): string[] =>
  commands.flatMap(({ commandIdentifier }) =>
    CASE_KINDS.filter(
      (kind) =>
        !cases.some((one) => {
          const isMeant = commands.length === 1 || one.arguments[commandField] === commandIdentifier;
          return isMeant && one.kind === kind;
        }),
    ).map((kind) => `${commandIdentifier} has no contract case of kind "${kind}"`),
  );
