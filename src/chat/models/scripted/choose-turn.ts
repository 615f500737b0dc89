import type { ChatMessage } from '../../../ports/language-model.ts';
import { objectsOf, textOf } from '../json-fields.ts';
import type { ScriptTurn } from './script.ts';

/** The text of a message, whatever its parts are. */
export const messageText = ({ content }: ChatMessage): string =>
  typeof content === 'string'
    ? content
    : objectsOf(content ?? null)
        .map(({ text }) => textOf(text))
        .join('\n');

/** The index of the first turn that answers this message and is not used up, or -1. */
export const chooseTurn = (
  turns: readonly ScriptTurn[],
  used: ReadonlyMap<number, number>,
  message: ChatMessage | undefined,
): number =>
  turns.findIndex((turn, index) => {
    const times = turn.times ?? (turn.when === undefined ? 1 : Number.POSITIVE_INFINITY);
    return (used.get(index) ?? 0) < times && fits(turn.when, message);
  });

const fits = (when: ScriptTurn['when'], message: ChatMessage | undefined): boolean => {
  if (when === undefined) return true;
  if (message === undefined) return false;
  const text = messageText(message);
  return (
    (when.role === undefined || when.role === message.role) &&
    (when.contains === undefined || text.toLowerCase().includes(when.contains.toLowerCase())) &&
    (when.equals === undefined || text.trim() === when.equals.trim())
  );
};
