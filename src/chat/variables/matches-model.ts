/**
 * Whether a model is in a list such as `gpt-4o, claude-*`: names without regard to case, and beginnings that end in `*`.
 */
export const matchesModel = (models: string, model: string): boolean => {
  const wanted = model.toLowerCase();
  return models
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '')
    .some((item) => (item.endsWith('*') ? wanted.startsWith(item.slice(0, -1)) : wanted === item));
};
