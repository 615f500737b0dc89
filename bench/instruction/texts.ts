// What models write, and what somebody might make them write. Each text has about the same number of bytes.

const ENGLISH =
  'The committee met on Tuesday to look at the figures of the last quarter, and found that most of them were better than ' +
  'anybody had dared to expect. "It is early," said the chair, "but the trend is clear."\n\nNobody disagreed. The next ' +
  'meeting is in March (see the notes of the 3rd), when the budget for 2027 has to be settled.\n';

const CHINESE =
  '委员会于周二开会，审议了上一季度的数字，发现其中大部分都好于所有人的预期。“现在下结论还早，”主席说，“但趋势是明确的。”\n\n' +
  '没有人反对。下一次会议定于三月举行（见第三次会议的记录），届时必须确定二〇二七年的预算。\n';

const CODE =
  'Use `Array.prototype.map` here, and see that `items` is not empty:\n\n```ts\n' +
  'export const totals = (items: readonly Item[]): Map<string, number> => {\n' +
  '  const byName = new Map<string, number>();\n' +
  '  for (const { name, price } of items) byName.set(name, (byName.get(name) ?? 0) + price);\n' +
  '  return byName; // `${name}` is unique\n};\n```\n\n' +
  '> A `Map` keeps the order.\n\n- `a < b && c > d` is true\n- `<div class="x">` is HTML\n\n' +
  '<table><tr><td>1</td><td>2</td></tr></table>\n\n';

const CALL =
  'I will look that up.\n<<<[TOOL_REQUEST]>>>\ntool_name:「始」WebSearch「末」,\nquery:「始」人工智能最新发展趋势 2026「末」,\n' +
  'max_results:「始」5「末」,\nlanguage:「始」zh-CN「末」\n<<<[END_TOOL_REQUEST]>>>\n';

const LONG_CALL =
  '<<<[TOOL_REQUEST]>>>\ntool_name:「始」FileWriter「末」,\npath:「始」src/totals.ts「末」,\ncontent:「始ESCAPE」\n' +
  CODE.repeat(40) +
  '「末ESCAPE」\n<<<[END_TOOL_REQUEST]>>>\n';

const IN_A_BLOCK = '<<<[TOOL_REQUEST]>>>\n';

export type BenchText = { readonly name: string; readonly piece: string; readonly before?: string };

export const TEXTS: readonly BenchText[] = [
  { name: 'prose, English', piece: ENGLISH },
  { name: 'prose, Chinese', piece: CHINESE },
  { name: 'code and Markdown', piece: CODE },
  { name: 'a call every 270 bytes', piece: CALL },
  { name: 'calls with long values', piece: LONG_CALL },
  { name: 'opening markers', piece: '<<<[TOOL_REQUEST]>>>' },
  { name: 'almost markers', piece: '<<<[TOOL_REQUES]>>> ' },
  { name: '`<`', piece: '<' },
  { name: 'backticks and spaces', piece: '` `` ' },
  { name: 'thoughts', piece: '<think></think>' },
  { name: 'thoughts that never end', piece: '<think></thin' },
  { name: 'quotes', piece: '> \n' },
  { name: 'fences', piece: '```\n' },
  { name: 'blank lines', piece: '  \n' },
  { name: '`「始」` in a block', piece: '「始」', before: IN_A_BLOCK },
  { name: '`a:「始」「末」` in a block', piece: 'a:「始」「末」', before: IN_A_BLOCK },
  { name: '`//` in a block', piece: '// ', before: IN_A_BLOCK },
  { name: 'keys without values in a block', piece: 'key: 「', before: IN_A_BLOCK },
];
