import { isJsonObject } from '../../../../src/lib/is-json-object.ts';
import type { JsonValue } from '../../../../src/protocol/json.ts';

/** Whether a schema says that its value is not for the eyes of whoever looks over the shoulder. */
export const isSecret = (schema: JsonValue | undefined): boolean =>
  isJsonObject(schema) && (schema['writeOnly'] === true || schema['format'] === 'password');
