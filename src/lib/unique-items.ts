import canonicalize from 'canonicalize';
import { draft2020, type JsonError, type SchemaNode } from 'json-schema-library';

type ValidateParameters = { readonly node: SchemaNode; readonly data: unknown; readonly pointer: string };

/**
 * `uniqueItems` in linear time. The library compares every item with every other, which lets a caller hold the process
 * for seconds with one long list. Two items are equal when their canonical JSON (RFC 8785) is.
 */
export const uniqueItemsKeyword = {
  ...draft2020.keywords.find((keyword) => keyword.id === 'uniqueItems'),
  id: 'uniqueItems',
  keyword: 'uniqueItems',
  validate: ({ node, data, pointer }: ValidateParameters): JsonError[] => {
    if (!Array.isArray(data)) return [];
    const firstSeen = new Map<string, number>();
    for (const [index, item] of data.entries()) {
      const text = canonicalize(item) ?? '';
      const first = firstSeen.get(text);
      if (first !== undefined) {
        return [
          node.createError('unique-items-error', {
            pointer: `${pointer}/${index}`,
            duplicatePointer: `${pointer}/${first}`,
            schema: node.schema as object,
            value: null,
          }),
        ];
      }
      firstSeen.set(text, index);
    }
    return [];
  },
};
