import type { CallStore } from '../../ports/call-store.ts';
import { redactResource } from '../../policy/apply-policy.ts';
import { callerGiven, handOnGiven } from '../../policy/caller-given.ts';
import { createCensor } from '../../policy/create-censor.ts';
import { hideCoreParts } from '../../policy/hide-core-parts.ts';
import type { CanonicalToolResult } from '../../protocol/canonical-tool-result.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { ResourceDescriptor } from '../../protocol/resource.ts';
import type { BuiltInTool } from './built-in-tools.ts';
import { readResultPart, type PartRequest } from './read-result-part.ts';
import { RESULT_READER_MANIFEST } from './result-reader-manifest.ts';

export type ResultReaderDependencies = {
  readonly calls: Pick<CallStore, 'getResult'>;
  readonly knownPaths: readonly string[];
};

/** Characters of one page when it is printed as JSON: what a model is shown of it by default. */
const PAGE_CHARACTERS = 16_000;

/**
 * The tool by which a model reads on where a view left something out (§8.5). It reads the results of the caller's own
 * key, redacted as every view of the caller is.
 */
export const resultReader = ({ calls, knownPaths }: ResultReaderDependencies): BuiltInTool => ({
  manifest: RESULT_READER_MANIFEST,
  answer: async ({ arguments: args, owner }) => {
    const { resultId, pointer, offset, limit } = args as { resultId: string } & Partial<PartRequest>;
    const stored = await calls.getResult(resultId);
    if (stored === null || stored.owner !== owner) {
      return failed('RESULT.NOT_FOUND', `there is no result ${resultId} that this caller may read`, 'resultId');
    }
    const at = pointer ?? '';
    const visible = visibleResult(stored.result, knownPaths);
    const censor = createCensor(knownPaths, callerGiven(stored.result));
    try {
      const request = { pointer: at, offset: offset ?? 0, limit: limit ?? null, characters: PAGE_CHARACTERS };
      const part = readResultPart(visible, request, censor);
      if (part === undefined) {
        return failed('RESULT.NOTHING_THERE', `the result ${resultId} has nothing at ${at}`, 'pointer');
      }
      return {
        status: 'success',
        data: { resultId, pointer: at, ...part, redactions: [...censor.redactions] },
        resources: referredTo(part.value, stored.result.resources),
        // A page is shown by the same rules as the result it is of.
        extensions: handOnGiven(stored.result),
      };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return failed('INVALID_ARGUMENT', 'pointer must be a JSON Pointer (RFC 6901), such as /data/items', 'pointer');
    }
  },
});

const visibleResult = (result: CanonicalToolResult, knownPaths: readonly string[]): JsonValue => {
  const hidden = hideCoreParts(result).result;
  const censor = createCensor(knownPaths, callerGiven(result));
  const resources = hidden.resources.map((resource, index) => redactResource(resource, ['resources', index], censor));
  return { ...hidden, resources } as unknown as JsonValue;
};

const failed = (code: string, message: string, target: string): JsonObject => ({
  status: 'error',
  data: null,
  error: { code, message, target },
});

/** The resources that a page refers to come along with it: its references lead to the same bytes. */
const referredTo = (value: JsonValue, resources: readonly ResourceDescriptor[]): JsonObject[] => {
  const ids = new Set<string>();
  const visit = (current: JsonValue): void => {
    if (typeof current !== 'object' || current === null) return;
    const id = (current as JsonObject)['$resource'];
    if (typeof id === 'string') ids.add(id);
    for (const child of Object.values(current)) visit(child as JsonValue);
  };
  visit(value);
  return [...ids].map((id): JsonObject => {
    const known = resources.find((resource) => resource.id === id);
    const place = known?.access.type === 'external' ? { url: known.url } : { resourceId: id };
    return { id, ...place, ...(known === undefined ? {} : { role: known.role, kind: known.kind }) };
  });
};
