import type { Censor } from '../lib/censor.ts';
import { toJsonPointer } from '../lib/json-pointer.ts';
import type { Redaction } from '../protocol/canonical-tool-result.ts';
import { isEnvironmentSnapshot, isSecretName, redactText } from './sensitive-text.ts';

/** What stands where something was taken out. */
const MARK = '[redacted: ';

/** A censor by the rules of this policy, and the list of what it took out so far. */
export const createCensor = (knownPaths: readonly string[]): Censor & { readonly redactions: readonly Redaction[] } => {
  const redactions: Redaction[] = [];
  const note = (path: readonly PropertyKey[], reason: string) =>
    redactions.push({ pointer: toJsonPointer(path), reason });
  let hiddenKeys = 0;

  return {
    redactions,
    field: (key, value, path) => {
      if (value === null || typeof value === 'boolean' || value === '') return undefined;
      if (isCorePointer(key, value, path)) return value;
      if (isSecretName(key) && !(typeof value === 'string' && value.startsWith(MARK))) {
        note(path, 'secret');
        return `${MARK}secret]`;
      }
      if (typeof value === 'object' && isEnvironmentSnapshot(key, value)) {
        note(path, 'environment');
        return `${MARK}environment]`;
      }
      return undefined;
    },
    key: (key, path) => {
      const redacted = redactText(key, knownPaths);
      if (redacted === null) return key;
      hiddenKeys += 1;
      const shown = `${redacted.text} (${hiddenKeys})`;
      // The note names the place by the key that is shown: it must not repeat the one that was hidden.
      for (const reason of redacted.reasons) note([...path, shown], reason);
      return shown;
    },
    text: (text, path) => {
      const redacted = redactText(text, knownPaths);
      if (redacted === null) return text;
      for (const reason of redacted.reasons) note(path, reason);
      return redacted.text;
    },
  };
};

/** Pointers that the core wrote into an error look like paths, and are none. */
const isCorePointer = (key: string, value: unknown, path: readonly PropertyKey[]): boolean =>
  key === 'pointer' &&
  path[0] === 'error' &&
  path[1] === 'details' &&
  typeof value === 'string' &&
  /^(\/[^/]{0,256}){0,64}$/.test(value);
