/** What a client would rather have (RFC 7240). `waitMs` null: it does not say. */
export type Preferences = { readonly respondAsync: boolean; readonly waitMs: number | null };

/** Seconds that a `wait` may say at most; more is as good as no limit. */
const LONGEST_WAIT_SECONDS = 86_400;

/**
 * Reads `Prefer: respond-async, wait=10`. What is not known or malformed is no preference: a header of wishes never fails
 * a request. The first of several wishes of one name counts (RFC 7240 §2).
 */
export const readPreferences = (header: string | undefined): Preferences => {
  const wishes = new Map<string, string>();
  for (const part of (header ?? '').split(',')) {
    const [name = '', value = ''] = (part.split(';')[0] as string).split('=').map((text) => text.trim());
    const known = name.toLowerCase();
    if (known !== '' && !wishes.has(known)) wishes.set(known, value.replace(/^"(.*)"$/, '$1'));
  }
  const wait = wishes.get('wait');
  return {
    respondAsync: wishes.get('respond-async') === '',
    waitMs: wait !== undefined && /^\d{1,9}$/.test(wait) ? Math.min(Number(wait), LONGEST_WAIT_SECONDS) * 1_000 : null,
  };
};
