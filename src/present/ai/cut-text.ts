import type { Omission } from '../../lib/sample-json.ts';

/**
 * The last guard of the budget, for one so small that not even the least of a result fits. The headline, the first
 * `headline` characters, survives first (§8.5). The text is cut and says so in what room that leaves: at the shortest the
 * view's `omitted` is what tells.
 */
export const cutText = (
  text: string,
  maxCharacters: number,
  resultId: string,
  headline: number,
): { readonly text: string; readonly cut: readonly Omission[] } => {
  if (text.length <= maxCharacters) return { text, cut: [] };
  const room = maxCharacters - headline;
  const notices = NOTICES.map((say) => say(maxCharacters, resultId));
  const fitting = notices.find(({ length }) => length <= room);
  // Where the headline itself is cut, one character says that.
  const notice = fitting ?? (room < 0 && maxCharacters > 1 ? '…' : '');
  const kept = text.slice(0, maxCharacters - notice.length);
  const whole = kept.isWellFormed() ? kept : kept.slice(0, -1);
  return {
    text: whole + notice,
    cut: [{ pointer: '', unit: 'characters', originalCount: text.length, keptCount: whole.length }],
  };
};

const NOTICES: readonly ((maxCharacters: number, resultId: string) => string)[] = [
  (most, id) => `\n\n(cut to ${most} characters; the full result is stored as ${id})`,
  (_, id) => ` (cut; see ${id})`,
  () => ' (cut)',
  () => '…',
];
