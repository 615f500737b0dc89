import { hasResource, renderDescribed } from './described-resources.ts';
import type { Renderer } from './renderer.ts';

const isImage = (kind: string): boolean => kind === 'image';

/** Pictures first, then what they were made with. */
export const imageResult: Renderer = {
  name: 'image-result',
  part: 'data',
  matches: (result) =>
    result.presentation?.preferredView === 'image-result' ||
    (result.aiAdvice?.renderHint === 'image' && hasResource(result, isImage)),
  render: (source) => renderDescribed(source, isImage),
};
