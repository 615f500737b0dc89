import type { CanonicalToolResult } from '../../../protocol/canonical-tool-result.ts';
import type { BlockContent } from '../markdown.ts';
import type { CutsByPointer } from './render-value.ts';

/** What a renderer reads: a result that was redacted and sampled before, and what the sampling cut. */
export type RenderSource = { readonly result: CanonicalToolResult; readonly cuts: CutsByPointer };

/**
 * Shows one part of a result in the form that its meaning asks for (§8.3). It is chosen by what the result says of
 * itself and by the shape of what it holds, never by the tool's name. It shows everything that it is given: what it
 * has no form for goes through the generic rules.
 */
export type Renderer = {
  readonly name: string;
  readonly part: 'error' | 'task' | 'data';
  /** Whether the result means this; looks at a few fields only. */
  matches(result: CanonicalToolResult): boolean;
  /** Null when the part has another shape than was meant: the next renderer is asked. */
  render(source: RenderSource): readonly BlockContent[] | null;
};
