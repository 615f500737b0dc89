import { characterAt, isDigit, isWordCharacter } from './characters';

/** A text in another case; the names are those of the schema. */
export function caseOf(text: string, to: string): string {
  if (to == 'upper') return text.toUpperCase();
  if (to == 'lower') return lowerCase(text);
  if (to == 'title') return capitalised(text, false);
  if (to == 'sentence') return capitalised(text, true);
  if (to == 'swap') return swapped(text);
  const words = wordsOf(text);
  const separator = to == 'kebab' ? '-' : to == 'snake' || to == 'constant' ? '_' : '';
  for (let at = 0; at < words.length; at++) {
    const word = words[at].toLowerCase();
    if (to == 'constant') words[at] = word.toUpperCase();
    else if (to == 'pascal' || (to == 'camel' && at > 0)) words[at] = capital(word);
    else words[at] = word;
  }
  return words.join(separator);
}

/** The library's, and the sigma that stands at the end of Greek words, which it leaves out at the end of a text. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (!text.includes('Σ')) return lower;
  const units = new Array<i32>(lower.length);
  for (let at = 0; at < lower.length; at++) {
    const isInWord = at > 0 && isWordCharacter(lower.charCodeAt(at - 1));
    const isLast = at + 1 == lower.length || !isWordCharacter(lower.charCodeAt(at + 1));
    const unit = lower.charCodeAt(at);
    units[at] = unit == 0x3c3 && isInWord && isLast ? 0x3c2 : unit;
  }
  return String.fromCharCodes(units);
}

function capital(word: string): string {
  if (word.length == 0) return word;
  const first = characterAt(word, 0);
  return first.toUpperCase() + word.substring(first.length);
}

/** Capitals at the begin of words, or of sentences, and small letters elsewhere. */
function capitalised(text: string, sentences: bool): string {
  const lower = lowerCase(text);
  const parts = new Array<string>();
  let isStart = true;
  for (let at = 0; at < lower.length;) {
    const character = characterAt(lower, at);
    const point = lower.codePointAt(at);
    if (isWordCharacter(point)) {
      parts.push(isStart ? character.toUpperCase() : character);
      isStart = false;
    } else {
      parts.push(character);
      // An apostrophe inside of a word begins none: "don't".
      if (sentences) isStart = isStart || '.!?。！？\n'.includes(character);
      else if (point != 0x27 && point != 0x2019) isStart = true;
    }
    at += character.length;
  }
  return parts.join('');
}

function swapped(text: string): string {
  const parts = new Array<string>();
  for (let at = 0; at < text.length;) {
    const character = characterAt(text, at);
    const lower = character.toLowerCase();
    parts.push(character == lower ? character.toUpperCase() : lower);
    at += character.length;
  }
  return parts.join('');
}

/** The words of a sentence or of a name in code: "parseHTTPResponse2" is parse, HTTP, Response2. */
function wordsOf(text: string): Array<string> {
  const words = new Array<string>();
  let word = '';
  let before = '';
  for (let at = 0; at < text.length;) {
    const character = characterAt(text, at);
    at += character.length;
    const isApostrophe = character == "'" || character == '’';
    if (!isWordCharacter(character.codePointAt(0))) {
      if (isApostrophe) continue;
      if (word.length > 0) words.push(word);
      word = '';
      before = '';
      continue;
    }
    const next = at < text.length ? characterAt(text, at) : '';
    const startsWord =
      isUpper(character) && (isLower(before) || isNumber(before) || (isUpper(before) && isLower(next)));
    if (startsWord && word.length > 0) {
      words.push(word);
      word = '';
    }
    word += character;
    before = character;
  }
  if (word.length > 0) words.push(word);
  return words;
}

function isUpper(character: string): bool {
  return character.length > 0 && character.toLowerCase() != character;
}

function isLower(character: string): bool {
  return character.length > 0 && character.toUpperCase() != character;
}

function isNumber(character: string): bool {
  return character.length == 1 && isDigit(character.charCodeAt(0));
}
