import type { Omission } from '../../lib/sample-json.ts';
import type { Redaction } from '../../protocol/canonical-tool-result.ts';

/** A piece of the view in no vendor's format; the model adapter turns it into one (§8.6). */
export type AiContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly resourceId: string };

/** What the model reads (§8.1), and what it does not: nothing is dropped without a word. */
export type AiView = {
  readonly text: string;
  readonly content: readonly AiContentPart[];
  readonly omitted: {
    readonly fields: readonly Omission[];
    readonly resources: readonly string[];
    readonly redactions: readonly Redaction[];
    /** Where the whole is: `GET /v1/results/<resultId>?pointer=<pointer>`, for those who may read it. */
    readonly resultId: string;
  };
};

/** §8.5. `maxCharacters` bounds `text`; `maxResources` the resources that are listed or attached. */
export type AiContext = {
  readonly maxCharacters: number;
  readonly maxResources: number;
  readonly includeExecutionMetadata: boolean;
  readonly modelCapabilities: { readonly vision: boolean; readonly audio: boolean };
};

export const DEFAULT_AI_CONTEXT: AiContext = {
  maxCharacters: 30_000,
  maxResources: 4,
  includeExecutionMetadata: false,
  modelCapabilities: { vision: true, audio: false },
};
