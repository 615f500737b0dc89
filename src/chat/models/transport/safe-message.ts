import { excerpt } from '../../../lib/excerpt.ts';
import { redactText } from '../../../policy/sensitive-text.ts';

/** Characters of a vendor's message that are kept. */
const MOST_CHARACTERS = 1_000;
/** Characters that are looked at: more than are kept, so that a secret is not cut in two and then overlooked. */
const READ_CHARACTERS = 8_000;

/**
 * A text of an upstream as it may be shown: without this server's key, which some vendors quote in part, without other
 * secrets and private addresses, and short.
 */
export const safeMessage = (text: string, key: string | null): string => {
  const read = text.slice(0, READ_CHARACTERS).toWellFormed();
  const withoutKey = key === null || key === '' ? read : read.replaceAll(key, '[redacted: secret]');
  const plain = redactText(withoutKey)?.text ?? withoutKey;
  return excerpt(plain.replaceAll(/\s+/g, ' ').trim(), MOST_CHARACTERS);
};
