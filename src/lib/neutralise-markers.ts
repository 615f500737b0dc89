/** Three angle brackets before a square one, of any width, with what nobody sees between them. */
const CANDIDATE =
  /[<＜﹤](?:[\s\p{Default_Ignorable_Code_Point}]*[<＜﹤]){2}(?=[\s\p{Default_Ignorable_Code_Point}]*[[［﹇])/gu;
/** What may be one goes on with a T, an E, or a character that may stand for one. */
const BEGINNING =
  /^[\s\p{Default_Ignorable_Code_Point}]*[[［﹇][\s\p{Default_Ignorable_Code_Point}]*[TtEe\u0080-\u{10ffff}]/u;
const UNSEEN = /[\s\p{Default_Ignorable_Code_Point}]/gu;
const MARKER = /^\[(?:END_)?TOOL_REQUEST/i;

/** Units after the angle brackets that are looked at: a marker with a few unseen characters between its own. */
const REACH = 128;

/**
 * Makes text-protocol markers in a tool's output inert: a result that is fed back to a model must never read as a
 * call. The text stays legible; only the three opening brackets are swapped for look-alikes. Markers in full-width or other
 * forms of their characters, and with unseen characters between, are no calls either, but become ones when somebody
 * normalises the text.
 */
export const neutraliseMarkers = (text: string): string =>
  text.replaceAll(CANDIDATE, (brackets: string, at: number) => {
    const after = text.slice(at + brackets.length, at + brackets.length + REACH);
    const isMarker = BEGINNING.test(after) && MARKER.test(after.normalize('NFKC').replaceAll(UNSEEN, ''));
    return isMarker ? brackets.replaceAll(/[<＜﹤]/g, '‹') : brackets;
  });
