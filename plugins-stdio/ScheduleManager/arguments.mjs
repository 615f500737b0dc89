import { parseRfc3339 } from './rfc3339.mjs';

const CONTENT_LIMIT_CHARACTERS = 2000;
const ECHO_LIMIT_CHARACTERS = 100;
const TIME_EXAMPLE = '2026-07-12T10:00:00+08:00';

/** Each check returns the tool error for the argument it looks at, or null. */
export function checkNames(args, allowed) {
  const unknown = Object.keys(args).find((name) => !allowed.includes(name));
  if (unknown === undefined) return null;
  return invalid(unknown, `"${echo(unknown)}" is not an argument of this command. Leave it out.`, { allowed });
}

export function checkTime(args, name) {
  if (args[name] === undefined) return missing(name, `Give an RFC 3339 date-time such as ${TIME_EXAMPLE}.`);
  const details = { expected: 'RFC 3339', example: TIME_EXAMPLE, received: echo(args[name]) };
  const fault = typeof args[name] === 'string' ? parseRfc3339(args[name]).fault : 'it is not a string';
  if (!fault) return null;
  return invalid(name, `"${name}" is not an RFC 3339 date-time: ${fault}. Write it like ${TIME_EXAMPLE}.`, details);
}

export function checkOptionalTime(args, name) {
  return args[name] === undefined ? null : checkTime(args, name);
}

export function checkContent(args) {
  const { content } = args;
  const expected = `1 to ${CONTENT_LIMIT_CHARACTERS} characters`;
  if (content === undefined) return missing('content', `Give the text of the schedule, ${expected}.`);
  if (typeof content !== 'string')
    return invalid('content', '"content" is not a string. Give the text of the schedule.', { expected });
  if (!content.isWellFormed()) {
    return invalid('content', '"content" holds half of a surrogate pair. Give well-formed Unicode text.', { expected });
  }
  const length = countCharacters(content);
  if (length >= 1 && length <= CONTENT_LIMIT_CHARACTERS) return null;
  const change = length === 0 ? 'Give the text of the schedule.' : 'Shorten it.';
  return invalid('content', `"content" has ${length} characters; ${expected} are allowed. ${change}`, {
    expected,
    receivedLength: length,
  });
}

export function checkId(args) {
  const expected = 'an id as returned by AddSchedule or ListSchedules';
  if (args.id === undefined) return missing('id', `Give ${expected}.`);
  if (typeof args.id === 'string' && args.id !== '') return null;
  return invalid('id', `"id" is not a non-empty string. Give ${expected}.`, { expected });
}

/** Text safe to repeat in an answer: strings cut to a readable length, anything else by its type. */
export function echo(value) {
  if (typeof value !== 'string') return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const text = value.toWellFormed();
  return countCharacters(text) <= ECHO_LIMIT_CHARACTERS
    ? text
    : `${Array.from(text).slice(0, ECHO_LIMIT_CHARACTERS).join('')}…`;
}

/** Characters as JSON Schema counts them: Unicode code points. */
function countCharacters(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function invalid(target, message, details) {
  return { code: 'INVALID_ARGUMENT', message, target: echo(target), details };
}

function missing(target, advice) {
  return { code: 'MISSING_ARGUMENT', message: `"${target}" is missing. ${advice}`, target };
}
