/** The query of an address, with what is given. */
export const searchOf = (query: Readonly<Record<string, string | number | boolean | undefined>>): string => {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  return search.size > 0 ? `?${search}` : '';
};
