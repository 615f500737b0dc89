import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RESOURCE_INPUT_SCHEMA, RESOURCE_REFERENCE_SCHEMA } from '../../../src/lib/json-schema.ts';

/** RFC 3339 §5.6; second 60 is a leap second. Ajv itself knows no formats. */
const DATE_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const OPTIONS = { strict: false, allErrors: true, formats: { 'date-time': DATE_TIME } };

/**
 * What a validator that shares no line with ours says: a list of faults, empty when the value fits. A schema that it
 * cannot compile is a fault too.
 */
export const secondOpinion = (schema: unknown, value: unknown): string[] => {
  const declared = (schema as { $schema?: unknown } | null)?.$schema;
  const isDraft07 = typeof declared === 'string' && declared.includes('draft-07');
  const ajv = isDraft07 ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  ajv.addSchema([{ ...RESOURCE_REFERENCE_SCHEMA }, { ...RESOURCE_INPUT_SCHEMA }]);
  try {
    const validate = ajv.compile(schema as object | boolean);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      (error) => `${error.instancePath || '(root)'} ${error.message ?? error.keyword}`,
    );
  } catch (error) {
    return [`the schema does not compile: ${error instanceof Error ? error.message : String(error)}`];
  }
};
