import type { NotingCensor } from '../lib/censor.ts';
import { toJsonPointer } from '../lib/json-pointer.ts';
import type { Redaction } from '../protocol/canonical-tool-result.ts';
import { looksLikeToken, nameKindOf, type NameKind } from './secret-names.ts';
import { isEnvironmentSnapshot, redactText, type RedactedText } from './sensitive-text.ts';

/** What stands where something was taken out. */
const MARK = '[redacted: ';
const IS_MARK = /^\[redacted: [a-z ]{1,20}\]$/;

/** A censor by the rules of this policy, and the list of what it took out so far. */
export const createCensor = (knownPaths: readonly string[], given?: ReadonlySet<string>): NotingCensor => {
  const redactions: Redaction[] = [];
  const note = (path: readonly PropertyKey[], reason: string) =>
    redactions.push({ pointer: toJsonPointer(path), reason });
  let hiddenKeys = 0;

  return {
    redactions,
    field: (key, value, path) => {
      if (typeof value !== 'object' || value === null || !isEnvironmentSnapshot(key, value)) return undefined;
      note(path, 'environment');
      return `${MARK}environment]`;
    },
    key: (key, path, siblings) => {
      // What lies in a field of secrets may be filed under them.
      const redacted =
        looksLikeToken(key) && kindOfPlace(path) !== 'plain'
          ? { text: `${MARK}secret]`, reasons: ['secret'] }
          : redactText(key, knownPaths, given);
      if (redacted === null) return key;
      let shown: string;
      do {
        hiddenKeys += 1;
        shown = `${redacted.text} (${hiddenKeys})`;
      } while (Object.hasOwn(siblings, shown));
      // The note names the place by the key that is shown: it must not repeat the one that was hidden.
      for (const reason of redacted.reasons) note([...path, shown], reason);
      return shown;
    },
    text: (text, path) => {
      if (isNamedSecret(text, path)) {
        note(path, 'secret');
        return `${MARK}secret]`;
      }
      const redacted = redactText(text, knownPaths, given) ?? redactSteps(text, knownPaths, given);
      if (redacted === null) return text;
      for (const reason of redacted.reasons) note(path, reason);
      return redacted.text;
    },
  };
};

/**
 * Whether a text is a secret by the name of its field or of one around it. Numbers never are: `maxToken: 4096` and
 * `credentials: { count: 2 }` are what they say.
 */
const isNamedSecret = (text: string, path: readonly PropertyKey[]): boolean => {
  const kind = kindOfPlace(path);
  if (kind === 'plain' || text === '' || IS_MARK.test(text)) return false;
  return kind === 'secret' || looksLikeToken(text);
};

const kindOfPlace = (path: readonly PropertyKey[]): NameKind => {
  let place: NameKind = 'plain';
  for (const step of path) {
    const kind = typeof step === 'string' ? nameKindOf(step) : 'plain';
    if (kind === 'secret') return kind;
    if (kind === 'token') place = kind;
  }
  return place;
};

/** A JSON Pointer escapes the slashes of a key, and no rule knows a secret that is written so. */
const redactSteps = (
  text: string,
  knownPaths: readonly string[],
  given: ReadonlySet<string> | undefined,
): RedactedText | null => {
  if (!text.startsWith('/') || !/~[01]/.test(text)) return null;
  const reasons = new Set<string>();
  const steps = text.slice(1).split('/');
  const shown = steps.map((step) => {
    const redacted = redactText(step.replaceAll('~1', '/').replaceAll('~0', '~'), knownPaths, given);
    for (const reason of redacted?.reasons ?? []) reasons.add(reason);
    return redacted?.text.replaceAll('~', '~0').replaceAll('/', '~1') ?? step;
  });
  return reasons.size === 0 ? null : { text: `/${shown.join('/')}`, reasons: [...reasons] };
};
