import { statSync } from 'node:fs';
import { coerceArguments } from '../../../../src/instruction/coerce-arguments.ts';
import { compileJsonSchema, type SchemaValidator } from '../../../../src/lib/json-schema.ts';
import { isJsonObject } from '../../../../src/lib/is-json-object.ts';
import { isResourceSchema } from '../../../../src/lib/resource-places.ts';
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts';
import { describeType, listedValues } from '../describe-schema.ts';
import { printable } from '../terminal.ts';
import { isSecret } from './is-secret.ts';
import type { Check, Prompts } from './prompts.ts';

/** Asks for one argument, in the way that its schema suggests; what does not fit the schema is refused at once. */
export const askForValue = async (
  prompts: Prompts,
  name: string,
  schema: JsonValue | undefined,
  root: JsonValue,
): Promise<JsonValue> => {
  const facts = isJsonObject(schema) ? schema : {};
  const question = questionOf(name, facts);
  const preset = facts['default'];
  if (facts['type'] === 'boolean' && facts['enum'] === undefined && facts['const'] === undefined)
    return await prompts.confirm(question, preset === true);
  const listed = listedValues(facts);
  if (listed.length === 1) return listed[0] as JsonValue;
  if (listed.length > 1) {
    const label = (value: JsonValue) => printable(typeof value === 'string' ? value : JSON.stringify(value));
    return await prompts.choose(
      question,
      listed.map((value) => ({ value, label: label(value), ...(value === preset ? { hint: 'default' } : {}) })),
    );
  }

  const validator = validatorOf(schema, root);
  const valueOf = (text: string): JsonValue =>
    coerceArguments([[name, text]], { properties: { [name]: facts } })[name] as JsonValue;
  const check: Check = (text) => {
    const value = valueOf(text);
    if (isResourceSchema(facts) && text.startsWith('@')) return faultOfFile(text.slice(1));
    const issue = validator?.validate(value)[0];
    if (issue !== undefined) return `${issue.pointer === '' ? 'it' : issue.pointer} ${issue.message}`;
    return text === '' ? `it may not be left empty here (--arg ${name}= gives an empty text)` : null;
  };
  if (isSecret(facts)) return valueOf(await prompts.askSecretly(question, check));
  if (isListOfScalars(facts)) return await askForItems(prompts, question, facts, validator, root);
  const written = preset === undefined ? undefined : typeof preset === 'string' ? preset : JSON.stringify(preset);
  return valueOf(await prompts.ask(question, check, written));
};

const faultOfFile = (path: string): string | null =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true ? null : `there is no file ${path}`;

/** A list of simple values is asked for item by item; an empty answer ends it. */
const askForItems = async (
  prompts: Prompts,
  question: string,
  schema: JsonObject,
  validator: SchemaValidator | null,
  root: JsonValue,
): Promise<JsonValue[]> => {
  const itemSchema = schema['items'] as JsonObject;
  const itemValidator = validatorOf(itemSchema, root);
  const items: JsonValue[] = [];
  const itemOf = (text: string): JsonValue =>
    coerceArguments([['item', text]], { properties: { item: itemSchema } })['item'] as JsonValue;
  for (;;) {
    const check: Check = (text) => {
      const issue = text === '' ? validator?.validate(items)[0] : itemValidator?.validate(itemOf(text))[0];
      return issue === undefined ? null : `${text === '' ? 'the list' : 'it'} ${issue.message}`;
    };
    const text = await prompts.ask(`${question}\nitem ${items.length + 1} (Enter alone ends the list)`, check);
    if (text === '') return items;
    items.push(itemOf(text));
  }
};

const isListOfScalars = (schema: JsonObject): boolean => {
  const { items } = schema;
  return (
    schema['type'] === 'array' &&
    isJsonObject(items) &&
    ['string', 'integer', 'number'].some((type) => items['type'] === type) &&
    !isSecret(items)
  );
};

const questionOf = (name: string, schema: JsonObject): string => {
  const { description, type } = schema;
  const form = type === 'object' || type === 'array' ? `${describeType(schema)}, as JSON` : describeType(schema);
  const shown = isListOfScalars(schema) || schema['enum'] !== undefined ? describeType(schema) : form;
  return printable(`${name} (${shown})${typeof description === 'string' ? `\n${description}` : ''}`);
};

/** A part of a schema may refer to definitions of the whole. Where it cannot stand alone, the server has the word. */
const validatorOf = (schema: JsonValue | undefined, root: JsonValue): SchemaValidator | null => {
  if (!isJsonObject(schema)) return null;
  const shared = isJsonObject(root)
    ? Object.fromEntries(
        ['$schema', '$defs', 'definitions'].flatMap((key) => (root[key] === undefined ? [] : [[key, root[key]]])),
      )
    : {};
  const compiled = compileJsonSchema({ ...shared, ...schema });
  return compiled.ok ? compiled.validator : null;
};
