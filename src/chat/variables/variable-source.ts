/**
 * What a variable stands for. In a `template`, which its operator has written, variables are filled in in their turn; any
 * other text is inserted as it is, whatever it looks like.
 */
export type VariableValue = { readonly text: string; readonly kind: 'template' | 'plain' };

/**
 * Where variables come from. `find` gives null for a name that is not one of the source's, and raises, in words for the
 * author of the text, why one that is has no value now. It is asked at most once for a name and request.
 */
export type VariableSource = {
  find(name: string, signal: AbortSignal): VariableValue | null | Promise<VariableValue | null>;
};

export const plainValue = (text: string): VariableValue => ({ text, kind: 'plain' });
export const templateValue = (text: string): VariableValue => ({ text, kind: 'template' });

/** Asks one source after another. */
export const findVariable = async (
  sources: readonly VariableSource[],
  name: string,
  signal: AbortSignal,
): Promise<VariableValue | null> => {
  for (const source of sources) {
    const value = await source.find(name, signal);
    if (value !== null) return value;
  }
  return null;
};
