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
    /** The stored result that has the whole. */
    readonly resultId: string;
    /** How a part is read by its pointer, for those who may read it. */
    readonly howToRead: string;
  };
};

/** §8.5. `maxCharacters` bounds `text`, and is kept whatever it is; `maxResources` the resources listed or attached. */
export type AiContext = {
  readonly maxCharacters: number;
  readonly maxResources: number;
  readonly includeExecutionMetadata: boolean;
  readonly modelCapabilities: { readonly vision: boolean; readonly audio: boolean };
  /** The tool by which a model reads what was left out; null where there is none. */
  readonly readerTool: string | null;
};

export const DEFAULT_AI_CONTEXT: AiContext = {
  maxCharacters: 30_000,
  maxResources: 4,
  includeExecutionMetadata: false,
  modelCapabilities: { vision: true, audio: false },
  readerTool: null,
};
