import type { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';

/** `sch_` and a ULID, and the like, wherever it stands in a text. */
const ID = /\b([a-z]{2,8}_)[0-9A-HJKMNP-TV-Z]{26}\b/g;

/**
 * Replaces what differs from run to run by words that a reviewer can follow: `sch_01K…` becomes `<sch 1>`, and the
 * same id is `<sch 1>` wherever it comes again. Ids that `given` holds came from the case itself and stay.
 */
export const createNormaliser = (given: string) => {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();

  const text = (value: string): string =>
    value.replaceAll(ID, (id: string, prefix: string) => {
      if (given.includes(id)) return id;
      const known = names.get(id);
      if (known !== undefined) return known;
      const kind = prefix.slice(0, -1);
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      const name = `<${kind} ${count}>`;
      names.set(id, name);
      return name;
    });

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
