import type { ToolDescription } from '../../../src/protocol/tool-description.ts';
import { isJsonObject } from '../../../src/lib/is-json-object.ts';
import { schemaProperties } from '../../../src/lib/schema-properties.ts';
import type { JsonValue } from '../../../src/protocol/json.ts';
import { CASE_KINDS, type ContractCase } from './contract-cases.ts';

/**
 * Every command needs a case of each kind: one line for each that is missing. Where there are no arguments, none can be
 * wrong.
 */
export const missingKinds = (
  { commands, commandField }: Pick<ToolDescription, 'commands' | 'commandField'>,
  cases: readonly ContractCase[],
): string[] =>
  commands.flatMap(({ commandIdentifier, inputSchema }) =>
    CASE_KINDS.filter(
      (kind) =>
        (kind !== 'argument-error' || takesArguments(inputSchema, commandField)) &&
        !cases.some((one) => {
          const isMeant = commands.length === 1 || one.arguments[commandField] === commandIdentifier;
          return isMeant && one.kind === kind;
        }),
    ).map((kind) => `${commandIdentifier} has no contract case of kind "${kind}"`),
  );

/** Keywords by which a schema may ask for arguments without naming them as its own properties. */
const OTHER_WAYS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'propertyNames'];

const takesArguments = (schema: JsonValue, commandField: string): boolean => {
  if (!isJsonObject(schema)) return false;
  if (Object.keys(schemaProperties(schema)).some((name) => name !== commandField)) return true;
  return OTHER_WAYS.some((keyword) => Object.hasOwn(schema, keyword)) || isJsonObject(schema['additionalProperties']);
};
