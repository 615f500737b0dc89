import type { Failure } from '../../lib/failure.ts';

/** What a callback is refused for that points at files: it may come from anywhere, and a path says nothing there. */
export const localPathFailure = (payload: unknown): Failure | null => {
  const resources = (payload as { readonly resources?: unknown } | null)?.resources;
  if (!Array.isArray(resources)) return null;
  const issues = resources.flatMap((draft: unknown, index) =>
    typeof draft === 'object' && draft !== null && Object.hasOwn(draft, 'localPath')
      ? [
          {
            pointer: `/resources/${index}/localPath`,
            message: 'is not taken in a callback; send the bytes as base64 or dataUri, or a url',
          },
        ]
      : [],
  );
  const [first] = issues;
  if (first === undefined) return null;
  return { code: 'INVALID_TOOL_RESULT', message: `${first.pointer} ${first.message}`, details: { issues } };
};
