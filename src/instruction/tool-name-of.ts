import { normaliseKey } from './normalise-key.ts';
import type { BlockField } from './parser-event.ts';

/** The key under which a block names its tool, however it is spelled. */
export const isToolNameKey = (key: string): boolean => normaliseKey(key) === 'toolname';

/** The tool that a block names; null when it names none. */
export const toolNameOf = (fields: readonly BlockField[]): string | null => {
  const name = fields.findLast(({ key }) => isToolNameKey(key))?.value.trim();
  return name === undefined || name === '' ? null : name;
};
