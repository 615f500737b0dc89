import { excerpt } from '../../lib/excerpt.ts';
import { isJsonObject } from '../../lib/is-json-object.ts';
import type { Limits } from '../../lib/limits.ts';
import { redactResult } from '../../policy/apply-policy.ts';
import type { CanonicalToolResult } from '../../protocol/canonical-tool-result.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { projectForAi } from '../../runtime/project.ts';

/** Characters that a view may have before it is cut to what a placeholder may have; nothing can be read on. */
const MOST_CHARACTERS = 200_000;

export type PlaceholderContext = {
  readonly knownPaths: readonly string[];
  readonly limits: Pick<Limits, 'placeholderCharacters' | 'auditDataCharacters'>;
};

/**
 * What a static plugin's result says for each of its placeholders. A text in `data` is the value of all of them; an
 * object gives each the text under its name; anything else is what a model would be shown of the result.
 */
export const placeholderValues = (
  result: CanonicalToolResult,
  names: readonly string[],
  { knownPaths, limits }: PlaceholderContext,
): ReadonlyMap<string, string> => {
  const data = redactResult(result, knownPaths).data as JsonValue;
  let shown: string | undefined;
  const view = (): string => {
    const viewer = { roles: new Set<string>() };
    shown ??= projectForAi(result, {
      viewer,
      knownPaths,
      limits,
      ai: { maxCharacters: MOST_CHARACTERS, readerTool: null, modelCapabilities: { vision: false, audio: false } },
    }).text;
    return shown;
  };
  const valueOf = (name: string): string => {
    if (typeof data === 'string') return data;
    const own = isJsonObject(data) && Object.hasOwn(data, name) ? ((data as JsonObject)[name] as JsonValue) : undefined;
    if (own === undefined) return view();
    return typeof own === 'string' ? own : JSON.stringify(own);
  };
  return new Map(names.map((name) => [name, excerpt(valueOf(name), limits.placeholderCharacters)]));
};
