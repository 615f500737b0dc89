/** The beginning of a text, with a mark where it goes on; never half a surrogate pair. */
export const excerpt = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
