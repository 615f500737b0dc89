import { describe, expect, it } from 'vitest';
import { parseTemplate as parseWithin } from '../../../src/chat/variables/parse-template.ts';

const parseTemplate = (text: string) => parseWithin(text, { left: 100 });
const namesIn = (text: string) =>
  parseTemplate(text).flatMap((segment) => (segment.kind === 'variable' ? [segment.name] : []));
const shown = (text: string) =>
  parseTemplate(text)
    .map((segment) => (segment.kind === 'text' ? segment.text : segment.written))
    .join('');

describe('a template', () => {
  it.each([
    ['{{Date}}', ['Date']],
    ['a {{Date}}, b {{Time}}{{Date}}', ['Date', 'Time', 'Date']],
    ['{{VarUser}}{{VarUserName}}', ['VarUser', 'VarUserName']],
    ['{{agent:小雪}}', ['agent:小雪']],
    ['{{VCP_ASYNC_RESULT::Video::task_1}}', ['VCP_ASYNC_RESULT::Video::task_1']],
    ['{{__proto__}}{{constructor}}', ['__proto__', 'constructor']],
    ['{{{Date}}}', ['Date']],
    ['{{a{{Date}}b}}', ['Date']],
    ['{{ Date }}{{a b}}{{}}{{-x}}{{a\nb}}{Date}{{Date}', []],
    ['{{!Date}}{{!!Date}}', []],
    [`{{${'a'.repeat(256)}}}{{${'a'.repeat(257)}}}`, ['a'.repeat(256)]],
  ])('%j names %j', (text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  it('shows a token that is escaped, with one mark less', () => {
    expect(shown('write {{!Date}} or {{!!Date}}')).toBe('write {{Date}} or {{!Date}}');
  });

  it('ends at as many tokens as there may be, and knows the word still', () => {
    const budget = { left: 2 };
    const segments = parseWithin('{{A}}{{!B}}{{C}}[[VCPToolUse=Forbidden]]{{D}}', budget);
    expect(segments.map(({ kind, written }) => `${kind} ${written}`)).toEqual([
      'variable {{A}}',
      'text {{!B}}',
      'text {{C}}',
      'forbids-tools [[VCPToolUse=Forbidden]]',
      'text {{D}}',
    ]);
    expect(budget.left).toBe(0);
  });

  it('knows the word that forbids tools, exactly as it is written', () => {
    expect(parseTemplate('a[[VCPToolUse=Forbidden]]b')).toEqual([
      { kind: 'text', text: 'a', written: 'a' },
      { kind: 'forbids-tools', written: '[[VCPToolUse=Forbidden]]' },
      { kind: 'text', text: 'b', written: 'b' },
    ]);
    expect(shown('[[VCPToolUse=Allowed]] [[vcptooluse=forbidden]]')).toBe(
      '[[VCPToolUse=Allowed]] [[vcptooluse=forbidden]]',
    );
    expect(parseTemplate('[[VCPToolUse=Allowed]]')[0]?.kind).toBe('text');
  });
});
