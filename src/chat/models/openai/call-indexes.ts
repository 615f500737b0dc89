export type CallIndexes = {
  /** The index of the call that a piece belongs to, and whether it is the first piece of it. */
  indexOf(given: number | null, id: string): { readonly index: number; readonly isNew: boolean };
};

/**
 * Which tool call a piece belongs to. Servers leave `index` out, or number every call with 0; a new id is a new call
 * then, and a piece without one belongs to the call before it.
 */
export const createCallIndexes = (): CallIndexes => {
  /** The ids of the calls, in order. */
  const ids: string[] = [];
  const byGiven = new Map<number | null, number>();
  return {
    indexOf: (given, id) => {
      const known = byGiven.get(given);
      const belongs = known !== undefined && (id === '' || ids[known] === id || ids[known] === '');
      const index = belongs ? known : ids.length;
      if (!belongs) ids.push(id);
      byGiven.set(given, index);
      return { index, isNew: !belongs };
    },
  };
};
