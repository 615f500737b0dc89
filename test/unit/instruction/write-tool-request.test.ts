import { describe, expect, it } from 'vitest';
import { writeToolRequest } from '../../../src/instruction/write-tool-request.ts';

describe('a call that is written', () => {
  it('has its tool, its controls and its arguments, each in a field', () => {
    const written = writeToolRequest({
      toolName: 'Painter',
      arguments: { prompt: '一只猫', count: 2, fast: true, tags: ['a', 'b'], seed: null },
      controls: { maid: 'Nova', archery: 'no_reply', markHistory: true, river: { kind: 'last', count: 5 } },
    });
    expect(written).toEqual({
      ok: true,
      text: `<<<[TOOL_REQUEST]>>>
tool_name:「始」Painter「末」,
maid:「始」Nova「末」,
archery:「始」no_reply「末」,
ink:「始」mark_history「末」,
river:「始」last:5「末」,
prompt:「始」一只猫「末」,
count:「始」2「末」,
fast:「始」true「末」,
tags:「始」["a","b"]「末」,
seed:「始」null「末」
<<<[END_TOOL_REQUEST]>>>`,
    });
  });

  it.each([
    ['as it is', 'plain', 'a:「始」plain「末」'],
    ['with the line breaks at its ends', '\na\n', 'a:「始」\n\na\n\n「末」'],
    ['between escaping quotes when it holds a closing one', 'x「末」y', 'a:「始ESCAPE」x「末」y「末ESCAPE」'],
    [
      'between escaping quotes when it holds a marker',
      '<<<[TOOL_REQUEST]>>>',
      'a:「始ESCAPE」<<<[TOOL_REQUEST]>>>「末ESCAPE」',
    ],
    [
      'with one more ESCAPE when it holds the escaping one',
      '「末ESCAPE」',
      'a:「始ESCAPE」「末ESCAPE_ESCAPE」「末ESCAPE」',
    ],
    [
      'with one more ESCAPE when it holds an escaped literal',
      '<<<[TOOL_REQUEST_ESCAPE]>>>',
      'a:「始ESCAPE」<<<[TOOL_REQUEST_ESCAPE_ESCAPE]>>>「末ESCAPE」',
    ],
  ])('has a value %s', (_, value, field) => {
    const written = writeToolRequest({ toolName: 'T', arguments: { a: value } });
    expect(written.ok ? written.text.split('」,\n').slice(1).join('') : written).toBe(
      `${field}\n<<<[END_TOOL_REQUEST]>>>`,
    );
  });

  it.each([
    ['without a name', '', {}, 'tool_name'],
    ['with blanks around its name', ' T', {}, 'tool_name'],
    ['with an argument that no field can name', 'T', { 'a b': 1 }, 'a b'],
    ['with an argument without a name', 'T', { '': 1 }, ''],
    ['with an argument that has a colon', 'T', { 'a:b': 1 }, 'a:b'],
    ['with an argument whose name is too long', 'T', { ['k'.repeat(257)]: 1 }, 'k'.repeat(257)],
    ['with an argument that would be the name of the tool', 'T', { toolName: 1 }, 'toolName'],
  ])('is refused %s', (_, toolName, args, field) => {
    expect(writeToolRequest({ toolName, arguments: args })).toMatchObject({ ok: false, field });
  });
});
