import type { JsonObject } from '../../protocol/json.ts';

/** The name under which the reader is called; views name it where they left something out. */
export const RESULT_READER_NAME = 'ResultReader';

const pointer = { type: 'string', maxLength: 4_096 };
const count = { type: 'integer', minimum: 0 };

/** `plugin-manifest.json` of the reader, as a plugin of somebody else would have it. */
export const RESULT_READER_MANIFEST = {
  manifestVersion: '1.0',
  name: RESULT_READER_NAME,
  displayName: 'Result reader',
  version: '1.0.0',
  description: 'Reads on in a result that was too long to be shown whole: any part of it, page by page.',
  pluginType: 'hybridservice',
  toolResultProtocol: { name: 'vcp.tool-result', version: '1.0' },
  entryPoint: { type: 'module', file: 'result-reader' },
  communication: { protocol: 'direct' },
  capabilities: {
    invocationCommands: [
      {
        commandIdentifier: 'ReadResult',
        displayName: 'Read a result',
        description:
          'Gives a page of one part of an earlier result. `pointer` is a JSON Pointer such as "/data/rows", as the note ' +
          'on what was left out names it; "" is the whole result. Of a list, an object or a text, the page has up to ' +
          '`limit` items, fields or characters from `offset`; `nextOffset` is where the next page begins, null at the end.',
        inputSchema: {
          type: 'object',
          properties: {
            resultId: { type: 'string', pattern: '^tr_[0-9A-Z]{26}$', description: 'Id of the result.' },
            pointer: { ...pointer, default: '', description: 'JSON Pointer to the part.' },
            offset: { ...count, default: 0, description: 'First item, field or character.' },
            limit: {
              type: 'integer',
              minimum: 1,
              maximum: 20_000,
              description: 'Most items, fields or characters; 100 items or fields, or 8000 characters, by default.',
            },
          },
          required: ['resultId'],
          additionalProperties: false,
        },
        outputSchema: {
          type: 'object',
          properties: {
            resultId: { type: 'string' },
            pointer,
            type: { enum: ['null', 'boolean', 'number', 'string', 'array', 'object'] },
            value: true,
            offset: count,
            total: { type: ['integer', 'null'], minimum: 0 },
            nextOffset: { type: ['integer', 'null'], minimum: 0 },
            omitted: {
              type: 'array',
              description: 'What is too large for a page of its own; its pointers lead on into the same result.',
              items: {
                type: 'object',
                properties: {
                  pointer: { type: 'string' },
                  unit: { enum: ['items', 'fields', 'characters', 'levels'] },
                  originalCount: count,
                  keptCount: count,
                  missing: {
                    type: 'array',
                    items: { type: 'string' },
                    description: 'Of fields: pointers to the first of those that are missing.',
                  },
                },
                required: ['pointer', 'unit', 'originalCount', 'keptCount'],
                additionalProperties: false,
              },
            },
            redactions: {
              type: 'array',
              items: {
                type: 'object',
                properties: { pointer: { type: 'string' }, reason: { type: 'string' } },
                required: ['pointer', 'reason'],
                additionalProperties: false,
              },
            },
          },
          required: ['resultId', 'pointer', 'type', 'value', 'offset', 'total', 'nextOffset', 'omitted', 'redactions'],
          additionalProperties: false,
        },
        errorCodes: ['RESULT.NOT_FOUND', 'RESULT.NOTHING_THERE'],
        idempotent: true,
      },
    ],
  },
} satisfies JsonObject;
