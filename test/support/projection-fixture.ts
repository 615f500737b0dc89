import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import type { AiContext } from '../../src/present/ai/ai-view.ts';
import { CanonicalToolResult } from '../../src/protocol/canonical-tool-result.ts';
import { ResultView } from '../../src/protocol/invocation.ts';
import { project } from '../../src/runtime/project.ts';

/** A file of `test/fixtures/projections`. */
export type ProjectionFixture = {
  readonly says: string;
  readonly context: {
    readonly roles: readonly string[];
    readonly knownPaths: readonly string[];
    readonly auditDataCharacters?: number;
    readonly ai?: Partial<AiContext>;
  };
  readonly canonical: unknown;
  readonly views: Readonly<Record<ResultView, unknown>>;
};

/** The views of a fixture, as JSON carries them. */
export const projectFixture = ({ canonical, context }: ProjectionFixture): Record<ResultView, unknown> => {
  const result = CanonicalToolResult.parse(canonical);
  const given = {
    viewer: { roles: new Set(context.roles) },
    knownPaths: context.knownPaths,
    limits: { auditDataCharacters: context.auditDataCharacters ?? DEFAULT_LIMITS.auditDataCharacters },
    ...(context.ai === undefined ? {} : { ai: context.ai }),
  };
  return Object.fromEntries(
    ResultView.options.map((view) => [view, JSON.parse(JSON.stringify(project(result, view, given))) as unknown]),
  ) as Record<ResultView, unknown>;
};
