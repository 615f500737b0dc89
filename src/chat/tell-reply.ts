import type { EventSink } from '../ports/event-sink.ts';

/** Characters of an event's text at most; a longer reply comes in several. */
const PIECE_CHARACTERS = 4_000;

/** A reply as it grows, told to who watches: in pieces that joined are the reply, and one that says it is the last. */
export type ReplyTeller = {
  add(text: string): void;
  /** Once: what comes after is not told. */
  end(): void;
};

export type ToldReply = { readonly owner: string; readonly requestId: string; readonly model: string };

/** Tells the owner's other clients what a model says (`ai_message`, §10.6). */
export const createReplyTeller = (events: EventSink, { owner, requestId, model }: ToldReply): ReplyTeller => {
  const tell = (text: string, isLast: boolean): void =>
    events.emit(
      { type: 'ai_message', requestId, data: { model, sessionId: null, text, isLast } },
      { audience: { to: 'owner', owner } },
    );
  let waiting = '';
  let hasEnded = false;
  return {
    add: (text) => {
      if (hasEnded) return;
      waiting += text;
      while (waiting.length > PIECE_CHARACTERS) {
        const cut = pieceEnd(waiting);
        tell(waiting.slice(0, cut), false);
        waiting = waiting.slice(cut);
      }
    },
    end: () => {
      if (hasEnded) return;
      hasEnded = true;
      tell(waiting, true);
      waiting = '';
    },
  };
};

/** Behind the last blank, so that a secret or a path is not cut where nobody would know it; never within a character. */
const pieceEnd = (text: string): number => {
  const blank = /\s(?=\S*$)/.exec(text.slice(0, PIECE_CHARACTERS))?.index ?? -1;
  if (blank >= 0) return blank + 1;
  const isHigh = /[\uD800-\uDBFF]/.test(text[PIECE_CHARACTERS - 1] as string);
  return isHigh ? PIECE_CHARACTERS - 1 : PIECE_CHARACTERS;
};
