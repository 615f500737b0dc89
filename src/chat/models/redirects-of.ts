/** Other names for models with the models that they stand for, from pairs `alias=model`. */
export const redirectsOf = (pairs: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
