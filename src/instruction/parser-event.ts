import type { Diagnostic } from './diagnostic.ts';
import type { InstructionWarning } from './instruction-warning.ts';

/** A field as it was written: the key's own spelling and the value's own text. */
export type BlockField = { readonly key: string; readonly value: string };

/** What a block says: its fields in order, or why it was not said whole and must not be run. */
export type BlockContent =
  | { readonly ok: true; readonly fields: readonly BlockField[]; readonly warnings: readonly InstructionWarning[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** A block of a text. `raw` is its own text with both markers, as far as it came; empty when it was too large to keep. */
export type InstructionBlock = { readonly raw: string; readonly content: BlockContent };

/**
 * What a text holds, in its order. `text` is what a reader may see, and never ends within a marker; what is to be seen of a
 * block comes before the block.
 */
export type ParserEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'block'; readonly block: InstructionBlock };
