import type { BlockContent } from '../markdown.ts';
import { renderValue } from './render-value.ts';
import type { Renderer, RenderSource } from './renderer.ts';
import { STANDARD_RENDERERS } from './standard-renderers.ts';

/** A part of a result as the first renderer shows it that it fits; a lone scalar by the generic rules. */
export const renderPart = (
  part: Renderer['part'],
  source: RenderSource,
  renderers: readonly Renderer[] = STANDARD_RENDERERS,
): readonly BlockContent[] => {
  for (const renderer of renderers) {
    if (renderer.part !== part || !renderer.matches(source.result)) continue;
    const blocks = renderer.render(source);
    if (blocks !== null) return blocks;
  }
  return part === 'data' ? renderValue(source.result.data, ['data'], source.cuts) : [];
};
