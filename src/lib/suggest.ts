/** The known name that is nearest to a mistyped one, or null when none is near enough to be meant. */
export const suggestName = (given: string, names: Iterable<string>): string | null => {
  // Read twice, which an iterator can be only once.
  const known = [...names];
  const wanted = given.toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const name of known) {
    if (Math.abs(name.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best ?? onlyNameBeginningWith(wanted, known);
};

/** An abbreviation is far from its name by any count of letters, and still plain to see when only one name begins so. */
const onlyNameBeginningWith = (wanted: string, known: readonly string[]): string | null => {
  if (wanted.length < 3) return null;
  const [only, other] = known.filter((name) => name.toLowerCase().startsWith(wanted));
  return other === undefined ? (only ?? null) : null;
};

const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, substitution));
    }
    row = next;
  }
  return row[b.length] as number;
};
