import { Json, Payload, success } from 'vcp-plugin';
import { editScript, Step } from './edit-script';
import { unifiedDiff } from './unified-diff';

/** Compares two texts line by line. */
export function diff(args: Json): Payload {
  const before = linesWithEnds(args.getString('before'));
  const after = linesWithEnds(args.getString('after'));
  const script = editScript(keysOf(before, args), keysOf(after, args));
  let added = 0;
  let removed = 0;
  for (let at = 0; at < script.steps.length; at++) {
    if (script.steps[at] == Step.Add) added++;
    else if (script.steps[at] == Step.Remove) removed++;
  }
  const unified = unifiedDiff(before, after, script.steps, args.getInteger('context', 3));
  const names = `--- ${args.getString('beforeName', 'before')}\n+++ ${args.getString('afterName', 'after')}\n`;
  const isSame = added + removed == 0;
  const data = Json.object()
    .set('identical', isSame)
    .set('added', added)
    .set('removed', removed)
    .set('hunks', unified.hunks)
    .set('diff', isSame ? '' : names + unified.text);
  const payload = success(data).summary(isSame ? 'The texts are the same' : `${added} lines added, ${removed} removed`);
  if (!script.isShortest) {
    payload.warn(
      'DIFF_COARSE',
      'the texts differ in more than 1500 lines, so all between the first and the last was taken as replaced',
    );
  }
  return payload;
}

/** The lines of a text with their ends: a missing one at the very end is a difference, and so is CRLF. */
function linesWithEnds(text: string): Array<string> {
  const lines = new Array<string>();
  let from = 0;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end + 1;
    lines.push(text.substring(from, to));
    from = to;
  }
  return lines;
}

/** What the lines are compared by. */
function keysOf(lines: Array<string>, args: Json): Array<string> {
  const ignoreSpace = args.getBoolean('ignoreWhitespace');
  const ignoreCase = args.getBoolean('ignoreCase');
  if (!ignoreSpace && !ignoreCase) return lines;
  const keys = new Array<string>(lines.length);
  for (let at = 0; at < lines.length; at++) {
    const line = ignoreCase ? lines[at].toLowerCase() : lines[at];
    keys[at] = ignoreSpace ? withoutSpace(line) : line;
  }
  return keys;
}

function withoutSpace(line: string): string {
  const units = new Array<i32>();
  for (let at = 0; at < line.length; at++) {
    const unit = line.charCodeAt(at);
    if (unit != 0x20 && unit != 0x3000 && (unit < 0x09 || unit > 0x0d)) units.push(unit);
  }
  return String.fromCharCodes(units);
}
