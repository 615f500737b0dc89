/** What a model on a white list is for: its requests and answers are not those of a conversation. */
export type SpecialKind = 'embedding' | 'image';

/** The models that pass, and what they are for. */
export type WhiteLists = {
  /** What the model is passed as, `preferred` where it is on both lists; null when it is on none. */
  kindOf(model: string, preferred: SpecialKind): SpecialKind | null;
};

/** Names are compared without case. */
export const createWhiteLists = (names: Readonly<Record<SpecialKind, readonly string[]>>): WhiteLists => {
  const lists = { embedding: withoutCase(names.embedding), image: withoutCase(names.image) };
  return {
    kindOf: (model, preferred) => {
      const name = model.toLowerCase();
      const other = preferred === 'image' ? 'embedding' : 'image';
      return ([preferred, other] as const).find((kind) => lists[kind].has(name)) ?? null;
    },
  };
};

const withoutCase = (names: readonly string[]): ReadonlySet<string> => new Set(names.map((name) => name.toLowerCase()));
