import { toJsonPointer } from '../../../src/lib/json-pointer.ts';
import { CORE_ONLY_FIELDS } from '../../../src/protocol/plugin-result-payload.ts';

/** What a payload may quote without blame: the caller's own words, and where this run keeps its files. */
export type ScanContext = { readonly arguments: unknown; readonly hostDirectories: readonly string[] };

const BASE64_CHARACTERS = 1_024;
const HOST_PATH =
  /(?:^|[\s"'(=:])(?:file:\/\/|\/(?:home|root|Users|tmp|var|etc|opt|usr|mnt|proc|private)\/|[A-Za-z]:\\)/;

/** §13.2 and §21: everything in a plugin's payload that a plugin must not say. `pointer: what` each; empty when clean. */
export const forbiddenContent = (payload: unknown, context: ScanContext): string[] => {
  const faults: string[] = [];
  const given = stringsOf(context.arguments);

  const report = (path: readonly PropertyKey[], what: string) =>
    faults.push(`${toJsonPointer(path) || '(root)'}: ${what}`);

  const scanText = (text: string, path: readonly PropertyKey[]) => {
    if (path[0] === 'data' && isInlineBinary(text)) report(path, 'Base64 of more than 1 KB');
    if (given.some((own) => own.length > 0 && text === own)) return;
    if (HOST_PATH.test(text) || context.hostDirectories.some((directory) => text.includes(directory))) {
      report(path, 'an absolute path of the host');
    }
    if (path.at(-1) === 'message' && isJsonText(text)) report(path, 'JSON inside a message');
  };

  const scan = (value: unknown, path: readonly PropertyKey[]): void => {
    if (typeof value === 'string') return scanText(value, path);
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value)) {
      if (isMessageContent(value)) report(path, 'a content array of a model’s message protocol');
      return value.forEach((item, index) => scan(item, [...path, index]));
    }
    for (const [key, child] of Object.entries(value)) {
      if (LEGACY_FIELDS.has(key)) report([...path, key], `the legacy field "${key}"`);
      scan(child, [...path, key]);
    }
    return undefined;
  };

  scan(payload, []);
  const fields = typeof payload === 'object' && payload !== null ? payload : {};
  for (const field of CORE_ONLY_FIELDS)
    if (Object.hasOwn(fields, field)) report([field], 'a field that only the core writes');
  const { data } = fields as { data?: unknown };
  if (isWrapping(data)) report(['data'], 'a result wrapped in another {status, result}');
  return faults;
};

const LEGACY_FIELDS: ReadonlySet<string> = new Set(['original_plugin_output', 'image_url', 'plugin_error']);

/** `[{type: 'text' | 'image_url' | …}]`, as chat APIs take it. */
const isMessageContent = (items: readonly unknown[]): boolean =>
  items.some((item) => {
    const { type, text } = (item ?? {}) as { type?: unknown; text?: unknown };
    return (
      /^(?:image_url|input_image|input_audio|tool_result)$/.test(String(type)) ||
      (type === 'text' && typeof text === 'string')
    );
  });

const isInlineBinary = (text: string): boolean => {
  if (text.length <= BASE64_CHARACTERS) return false;
  if (/^data:[^,]{0,256};base64,/.test(text)) return true;
  // A long decimal number has the same alphabet, and none of its letters.
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text);
};

const isJsonText = (text: string): boolean => {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const isWrapping = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && Object.hasOwn(data, 'status') && Object.hasOwn(data, 'result');

const stringsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsOf);
};
