import type { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';

/** `sch_` and a ULID, and the like, wherever it stands in a text. */
const ID = /\b([a-z]{2,8}_)[0-9A-HJKMNP-TV-Z]{26}\b/g;

/** A moment as machines write it, and a hash, which may be of a text that holds such a moment. */
const MOMENT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const HASH = /\b[0-9a-f]{64}\b/g;

/**
 * Replaces what differs from run to run by words that a reviewer can follow: `sch_01K…` becomes `<sch 1>`, and the
 * same id is `<sch 1>` wherever it comes again. So are hashes; of two times nobody knows whether they are the same, so each
 * is `<time>`. What `given` holds came from the case itself and stays, and the port at which
 * recordings were played has no number.
 */
export const createNormaliser = (given: string, recordedAt: string | null = null) => {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();

  const nameOf = (value: string, kind: string): string => {
    if (given.includes(value)) return value;
    const known = names.get(value);
    if (known !== undefined) return known;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const name = `<${kind} ${count}>`;
    names.set(value, name);
    return name;
  };

  const text = (value: string): string =>
    (recordedAt === null
      ? value
      : value.replaceAll(recordedAt, 'http://<recordings>').replaceAll(new URL(recordedAt).host, '<recordings>')
    )
      .replaceAll(ID, (id: string, prefix: string) => nameOf(id, prefix.slice(0, -1)))
      .replaceAll(HASH, (hash) => nameOf(hash, 'sha256'))
      .replaceAll(MOMENT, (moment) => (given.includes(moment) ? moment : '<time>'));

  /** The JSON of a canonical result, its clock stopped. */
  const result = (canonical: CanonicalToolResult): string => {
    const { execution } = canonical;
    const still = {
      ...canonical,
      execution: { ...execution, startedAt: '<time>', finishedAt: '<time>', durationMs: '<duration>' },
    };
    return `${text(JSON.stringify(still, null, 2))}\n`;
  };

  return { text, result };
};
