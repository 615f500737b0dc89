import type { Diagnostic } from './diagnostic.ts';
import { BLOCK_START, ESCAPED_MARKERS, VALUE_QUOTES } from './markers.ts';

/** A field as it was written: the key's own spelling and the value's own text. */
export type BlockField = { readonly key: string; readonly value: string };

export type ParsedFields =
  | { readonly ok: true; readonly fields: readonly BlockField[] }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

/** A key of any script, dots included, right before its colon and opening quote. */
const KEY_BEFORE_QUOTE = /([\p{L}\p{N}_.-]+)[^\S\r\n]*[:：][^\S\r\n]*$/u;
const LONGEST_KEY = 256;

/**
 * The fields of one block's body. Commas, `//` remarks and prose between fields are skipped. A value that is not
 * closed, that swallowed the next field or a block, or that has no key makes the whole block unusable: what was not
 * said whole is not run.
 */
export const parseBlockFields = (body: string): ParsedFields => {
  const fields: BlockField[] = [];
  const nextOpening = openingsOf(body);
  let position = 0;
  for (;;) {
    const opening = nextOpening(position);
    if (opening === null) return { ok: true, fields };
    const { index, open, close } = opening;
    const before = body.slice(Math.max(position, index - LONGEST_KEY), index);
    if (isRemark(before)) {
      position = endOfLine(body, index);
      continue;
    }
    const key = KEY_BEFORE_QUOTE.exec(before)?.[1];
    const valueStart = index + open.length;
    const valueEnd = body.indexOf(close, valueStart);
    if (valueEnd === -1) {
      const field = key ?? null;
      return fail({
        code: 'VALUE_NOT_CLOSED',
        field,
        message: `the value of ${field ?? 'a field'} has no closing ${close}`,
      });
    }
    const raw = body.slice(valueStart, valueEnd);
    if (open === '「始」' && raw.includes(BLOCK_START)) {
      return fail({
        code: 'NESTED_BLOCK',
        field: key ?? null,
        message: `the value of ${key ?? 'a field'} holds a tool request; put it between 「始ESCAPE」 and 「末ESCAPE」`,
      });
    }
    if (open === '「始」' && raw.includes('「始」')) {
      return fail({
        code: 'VALUE_NOT_CLOSED',
        field: key ?? null,
        message: `the value of ${key ?? 'a field'} has no 「末」 before the next 「始」`,
      });
    }
    if (key === undefined) {
      return fail({
        code: 'VALUE_WITHOUT_KEY',
        field: null,
        message: `the value ${JSON.stringify(raw.trim().slice(0, 40).toWellFormed())} has no key; write key:「始」value「末」`,
      });
    }
    fields.push({ key, value: cleanValue(raw) });
    position = valueEnd + close.length;
  }
};

/** Whether the line up to here has begun a `//` remark. `http://` inside prose is none. */
const isRemark = (before: string): boolean => /(?:^|[\s,，])\/\//.test(before.slice(before.lastIndexOf('\n') + 1));

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
};

type Opening = { readonly index: number; readonly open: string; readonly close: string };

/** Finds the next opening quote from a position that only grows; each kind is sought again only once it was passed. */
const openingsOf = (body: string): ((from: number) => Opening | null) => {
  const ahead = VALUE_QUOTES.map(([open, close]) => ({ open, close, index: body.indexOf(open) }));
  return (from) => {
    let nearest: Opening | null = null;
    for (const quote of ahead) {
      if (quote.index !== -1 && quote.index < from) quote.index = body.indexOf(quote.open, from);
      if (quote.index !== -1 && (nearest === null || quote.index < nearest.index)) nearest = { ...quote };
    }
    return nearest;
  };
};

/** One line break at either end belongs to the layout; inner indentation belongs to the value. */
const cleanValue = (raw: string): string => {
  let value = raw.replace(/^\r?\n/, '').replace(/\r?\n[^\S\r\n]*$/, '');
  for (const [escaped, marker] of ESCAPED_MARKERS) value = value.replaceAll(escaped, marker);
  return value;
};

const fail = (diagnostic: Diagnostic): ParsedFields => ({ ok: false, diagnostic });
