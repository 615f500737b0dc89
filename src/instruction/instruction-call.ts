import type { JsonObject } from '../protocol/json.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { InstructionWarning } from './instruction-warning.ts';

/** How much of the conversation the tool is handed as context: all of it, its texts alone, or its last messages. */
export type River =
  | { readonly kind: 'full' }
  | { readonly kind: 'text' }
  | { readonly kind: 'last'; readonly count: number };

/** What a block says of how its call is run, beside the call itself. */
export type InstructionControls = {
  /** `true`: run without waiting, and feed back only errors. `no_reply`: accept it, and say so. Null: wait for it. */
  readonly archery: 'true' | 'no_reply' | null;
  /** Whether the result stays in the visible text. */
  readonly markHistory: boolean;
  readonly river: River | null;
  /** The agent in whose name the call is made. */
  readonly maid: string | null;
  /**
   * When the call is to be made, instead of now: `2026-12-24T18:00:00` followed by `Z` or an offset, or by nothing,
   * which means the time of the server's zone.
   */
  readonly timelyContact: string | null;
};

export type ControlName = 'archery' | 'ink' | 'river' | 'maid' | 'timely_contact';

/** One block, read: what it calls, and how. */
export type InstructionCall = {
  readonly toolName: string;
  /** One call; or those of a numbered series, which are run one after another as one batch. */
  readonly calls: readonly { readonly arguments: JsonObject }[];
  /** The key that made the block a numbered series, as it was spelled (`command1`); null for a single call. */
  readonly seriesKey: string | null;
  readonly controls: InstructionControls;
  /** Which control fields the block has, each as it was spelled. */
  readonly controlKeys: readonly { readonly control: ControlName; readonly key: string }[];
  readonly warnings: readonly InstructionWarning[];
  /** The block's own text, markers included. */
  readonly raw: string;
};

export type ReadInstruction =
  | { readonly ok: true; readonly call: InstructionCall }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };
