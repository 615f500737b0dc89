import { excerpt } from '../../lib/excerpt.ts';
import { isJsonObject } from '../../lib/is-json-object.ts';
import { parseJsonPointer, resolveJsonPointer } from '../../lib/json-pointer.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { describeSchema, type DescribedSchema } from '../../registry/describe-schema-node.ts';
import type { ModelWords } from './model-words.ts';

/** Characters of what a schema says of one argument, values that are listed, and fields of an object in an argument. */
const LONGEST_DESCRIPTION = 400;
const MOST_VALUES = 16;
const MOST_FIELDS = 16;

export type ToolArgument = {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonValue;
  readonly node: DescribedSchema;
};

/** The arguments that an input schema names, required ones first. */
export const argumentsOf = (schema: JsonValue): readonly ToolArgument[] => {
  const resolve = (reference: string) => resolveIn(schema, reference);
  const found = [...describeSchema(schema, resolve).fields].map(([name, field]) => ({
    name,
    required: field.required,
    schema: field.schema,
    node: describeSchema(field.schema, resolve),
  }));
  return [...found.filter(({ required }) => required), ...found.filter(({ required }) => !required)];
};

/** One line for a model: `- size (integer, optional, default 5): How many`. */
export const describeArgument = (argument: ToolArgument, words: ModelWords): string => {
  const { name, required, node } = argument;
  const values = wordOf(argument, 'enum');
  const initial = wordOf(argument, 'default');
  const facts = [
    typeOf(node),
    required ? words.required : words.optional,
    ...(Array.isArray(values) ? [`${words.oneOf} ${shownValues(values)}`] : []),
    ...(initial === undefined ? [] : [`${words.byDefault} ${excerpt(JSON.stringify(initial), 80)}`]),
  ];
  const said = wordOf(argument, 'description') ?? node.title;
  const meaning =
    typeof said === 'string' ? `: ${excerpt(said.replaceAll(/\s+/g, ' ').trim(), LONGEST_DESCRIPTION)}` : '';
  return `- ${name} (${facts.join(', ')})${meaning}`;
};

/** What the first of the schemas that an argument is put together of says under a keyword. */
export const wordOf = ({ node }: Pick<ToolArgument, 'node'>, keyword: string): JsonValue | undefined => {
  for (const source of node.sources) {
    if (isJsonObject(source) && Object.hasOwn(source, keyword)) return source[keyword] as JsonValue;
  }
  return undefined;
};

const shownValues = (values: readonly JsonValue[]): string => {
  const shown = values.slice(0, MOST_VALUES).map((value) => excerpt(JSON.stringify(value), 80));
  return shown.join(' | ') + (values.length > MOST_VALUES ? ' | …' : '');
};

const typeOf = (node: DescribedSchema): string => {
  if (node.isResource) return 'resource';
  const types = [...node.types].join('|') || 'any';
  const kind = node.format === null ? types : `${types} ${node.format}`;
  if (node.fields.size === 0) return kind;
  const names = [...node.fields].slice(0, MOST_FIELDS).map(([name, { required }]) => (required ? name : `${name}?`));
  return `${kind} {${names.join(', ')}${node.fields.size > MOST_FIELDS ? ', …' : ''}}`;
};

const resolveIn = (root: JsonValue, reference: string): JsonValue | undefined => {
  if (!reference.startsWith('#')) return undefined;
  try {
    const pointer = decodeURIComponent(reference.slice(1));
    parseJsonPointer(pointer);
    return resolveJsonPointer(root, pointer) as JsonValue | undefined;
  } catch {
    return undefined;
  }
};
