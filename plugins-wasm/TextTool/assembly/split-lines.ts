/** The lines of a text without their ends, CRLF and LF alike. A line end at the very end begins no further line. */
export function splitLines(text: string): Array<string> {
  const lines = new Array<string>();
  let from = 0;
  while (from < text.length) {
    let to = text.indexOf('\n', from);
    if (to < 0) to = text.length;
    const end = to > from && to < text.length && text.charCodeAt(to - 1) == 0x0d ? to - 1 : to;
    lines.push(text.substring(from, end));
    from = to + 1;
  }
  return lines;
}
