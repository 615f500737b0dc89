import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { SCHEMA_SAMPLES } from '../support/schema-samples.ts';

// A second opinion: another validator reads the published schemas as zod does (test/unit/protocol/json-schemas.test.ts).
const directory = resolve(import.meta.dirname, '../../schemas/1.0');
const ajv = new Ajv2020({ strict: false, validateFormats: false });
for (const file of readdirSync(directory))
  ajv.addSchema(JSON.parse(readFileSync(resolve(directory, file), 'utf8')) as object);

describe('Ajv', () => {
  it('is asked about every published schema', () => {
    const names = readdirSync(directory).map((file) => file.replace('.schema.json', ''));
    expect(Object.keys(SCHEMA_SAMPLES).toSorted()).toEqual(names.toSorted());
  });

  it.each(Object.entries(SCHEMA_SAMPLES))('agrees on the samples of %s', (name, { good, bad }) => {
    const validate = ajv.getSchema(`urn:vcp:schema:1.0:${name}`);
    expect(validate).toBeTypeOf('function');
    expect(good.filter((sample) => validate?.(sample) !== true)).toEqual([]);
    expect(bad.filter((sample) => validate?.(sample) !== false)).toEqual([]);
  });
});
