import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import type { AiContext, AiView } from '../../src/present/ai/ai-view.ts';
import { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import { projectForAi } from '../../src/runtime/project.ts';
import { canonicalResult } from './sample-values.ts';

/** What a model reads of a result with these fields. */
export const aiViewOf = (fields: Record<string, unknown>, ai: Partial<AiContext> = {}): AiView =>
  projectForAi(CanonicalToolResult.parse(canonicalResult(fields)), {
    viewer: { roles: new Set(['ai']) },
    knownPaths: [],
    limits: DEFAULT_LIMITS,
    ai,
  });

/** Headings of a Markdown text: lines outside code fences that begin, unescaped, with `#`. */
export const headingsOf = (text: string): string[] => {
  const headings: string[] = [];
  let fence: string | null = null;
  for (const line of text.split('\n')) {
    const bare = line.replace(/^[\s>]*(?:(?:[-*+]|\d+[.)])\s+)*/, '');
    const marks = /^(`{3,}|~{3,})/.exec(bare)?.[1] ?? null;
    if (fence !== null) {
      if (marks !== null && marks.length >= fence.length && bare.trim() === marks) fence = null;
    } else if (marks !== null) fence = marks;
    else if (/^#{1,6}(\s|$)/.test(bare)) headings.push(bare);
    else if (/^(=+|-+)\s*$/.test(line.trim()) && headings !== undefined) headings.push(`setext ${line}`);
  }
  return headings;
};
