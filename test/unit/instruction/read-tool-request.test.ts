import { describe, expect, it } from 'vitest';
import { readToolRequest } from '../../../src/instruction/read-tool-request.ts';
import type { KnownTool } from '../../../src/instruction/select-command.ts';
import { InvocationCommand } from '../../../src/protocol/manifest.ts';

const command = (commandIdentifier: string, properties: Record<string, unknown>) =>
  InvocationCommand.parse({
    commandIdentifier,
    description: 'd',
    inputSchema: { type: 'object', properties: { command: { const: commandIdentifier }, ...properties } },
    outputSchema: true,
  });

const TOOLS: Record<string, KnownTool> = {
  Painter: {
    commandField: 'command',
    commands: [
      command('Paint', {
        image_size: { type: 'string' },
        count: { type: 'integer' },
        ratio: { type: 'number' },
        fast: { type: 'boolean' },
        tags: { type: 'array' },
        options: { type: 'object' },
        label: { type: ['string', 'integer'] },
        seed: { type: ['integer', 'null'] },
        mode: { enum: [1, 2] },
        steps: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        size: { oneOf: [{ type: 'integer' }, { type: 'string' }] },
        extra: { anyOf: [{ type: 'integer' }, { title: 'anything' }] },
      }),
      command('Erase', { count: { type: 'string' } }),
    ],
  },
};

const read = (text: string) => readToolRequest(text, { findTool: (name) => TOOLS[name] ?? null });
const block = (body: string) => `<<<[TOOL_REQUEST]>>>\n${body}\n<<<[END_TOOL_REQUEST]>>>`;
const field = (key: string, value: string) => `${key}:「始」${value}「末」`;
const paint = (...fields: string[]) =>
  block([field('tool_name', 'Painter'), field('command', 'Paint'), ...fields].join(',\n'));
const argumentsOf = (text: string) => {
  const result = read(text);
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.request.arguments;
};
const diagnosticOf = (text: string) => {
  const result = read(text);
  return result.ok ? null : result.diagnostics[0];
};

describe('a block', () => {
  it('names a tool and its arguments, with prose around it', () => {
    expect(read(`I will paint.\n${paint(field('prompt', '一只猫'))}\nDone.`)).toEqual({
      ok: true,
      request: {
        toolName: 'Painter',
        arguments: { command: 'Paint', prompt: '一只猫' },
        maid: null,
        repeatedKeys: [],
        ignoredKeys: [],
      },
    });
  });

  it.each([
    ['a full-width colon', 'prompt：「始」cat「末」'],
    ['spaces around the colon', 'prompt : 「始」cat「末」'],
    ['full-width commas', '，prompt:「始」cat「末」，'],
    ['no commas', '\nprompt:「始」cat「末」\n'],
    ['a remark before it', '// what to paint\nprompt:「始」cat「末」'],
    ['prose before it', 'the text is as follows, prompt:「始」cat「末」'],
  ])('may be written with %s', (_, body) => {
    expect(argumentsOf(paint(body))).toEqual({ command: 'Paint', prompt: 'cat' });
  });

  it.each(['tool_name', 'toolName', 'Tool_Name', 'TOOL-NAME', 'toolname'])('may call the tool’s name %s', (key) => {
    expect(read(block(field(key, ' Painter ')))).toMatchObject({ ok: true, request: { toolName: 'Painter' } });
  });

  it.each(['maid', 'valet', 'Maid'])('says in %s for whom', (key) => {
    expect(read(paint(field(key, 'Nova')))).toMatchObject({
      ok: true,
      request: { maid: 'Nova', arguments: { command: 'Paint' } },
    });
  });

  it('may call a tool that is not known, its arguments all text', () => {
    expect(argumentsOf(block(field('tool_name', 'Nobody') + field('Some_Key', '5')))).toEqual({ Some_Key: '5' });
  });

  it.each(['image_size', 'ImageSize', 'IMAGE-SIZE', 'imagesize'])('may spell a key %s', (key) => {
    expect(argumentsOf(paint(field(key, '2K')))).toEqual({ command: 'Paint', image_size: '2K' });
  });

  it('keeps keys that the schema does not know, CJK and dotted ones whole', () => {
    expect(argumentsOf(paint(field('画风', '水彩'), field('a.b', '1'), field('Other_Key', '2')))).toEqual({
      command: 'Paint',
      画风: '水彩',
      'a.b': '1',
      Other_Key: '2',
    });
  });

  it('gives the last of a key that stands twice, however it is spelled', () => {
    expect(argumentsOf(paint(field('image_size', '1K'), field('ImageSize', '4K')))).toEqual({
      command: 'Paint',
      image_size: '4K',
    });
  });

  it('says which keys stand twice', () => {
    const written = paint(field('image_size', '1K'), field('ImageSize', '4K'), field('count', '1'));
    expect(read(written)).toMatchObject({ ok: true, request: { repeatedKeys: ['ImageSize'] } });
  });

  it('does not hold a field that a remark has switched off', () => {
    const switchedOff = '// force:「始」true「末」';
    for (const remark of [switchedOff, `prompt:「始」cat「末」 ${switchedOff}`, `\t${switchedOff.replace(' ', '')}`])
      expect(argumentsOf(paint(remark))['force']).toBeUndefined();
  });

  it('does not hold the fields of a remark', () => {
    expect(argumentsOf(paint(`// old:「始」1「末」\nprompt:「始」see http://a.example/x「末」`))).toEqual({
      command: 'Paint',
      prompt: 'see http://a.example/x',
    });
  });

  it('takes an address in prose for no remark', () => {
    expect(argumentsOf(paint('as http://a.example/x says, prompt:「始」cat「末」'))).toEqual({
      command: 'Paint',
      prompt: 'cat',
    });
  });

  it('keeps a name of 256 characters of the agent that calls', () => {
    const result = read(paint(field('maid', `${'N'.repeat(255)}${'😀'.repeat(25_000)}`)));
    const maid = result.ok ? (result.request.maid ?? '') : '';
    expect([maid.length, maid.slice(0, 255), maid.isWellFormed()]).toEqual([256, 'N'.repeat(255), true]);
  });

  it('has no harm in a key named __proto__ or constructor', () => {
    const args = argumentsOf(paint(field('__proto__', 'x'), field('constructor', 'y')));
    expect(Object.keys(args)).toEqual(['command', '__proto__', 'constructor']);
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('leaves out what only a chat loop can do', () => {
    expect(argumentsOf(paint(field('archery', 'true'), field('ink', 'mark_history'), field('river', 'full')))).toEqual({
      command: 'Paint',
    });
  });
});

describe('a value', () => {
  it.each<[string, string, unknown]>([
    ['count', '5', 5],
    ['count', ' -7 ', -7],
    ['count', '5.5', '5.5'],
    ['count', '99999999999999999999', '99999999999999999999'],
    ['ratio', '0.5', 0.5],
    ['ratio', '1e3', 1000],
    ['ratio', '1e999', '1e999'],
    ['ratio', '0x10', '0x10'],
    ['ratio', '', ''],
    ['fast', 'True', true],
    ['fast', 'false', false],
    ['fast', 'yes', 'yes'],
    ['tags', '["a", 1]', ['a', 1]],
    ['tags', '{"a":1}', '{"a":1}'],
    ['tags', 'a, b', 'a, b'],
    ['options', '{"deep":{"x":[1]}}', { deep: { x: [1] } }],
    ['options', '{"__proto__":1}', '{"__proto__":1}'],
    ['label', '5', '5'],
    ['seed', 'null', null],
    ['seed', '12', 12],
    ['mode', '2', 2],
    ['steps', '5', 5],
    ['steps', 'null', null],
    ['steps', 'five', 'five'],
    ['size', '5', '5'],
    ['extra', '5', '5'],
    ['unknown', '5', '5'],
    ['unknown', 'true', 'true'],
  ])('of %s written as %j is %j', (key, text, expected) => {
    expect(argumentsOf(paint(field(key, text)))[key]).toEqual(expected);
  });

  it('is converted, or not, in linear time', () => {
    const digits = '1'.repeat(100_000);
    const started = performance.now();
    for (const key of ['count', 'ratio', 'steps', 'seed', 'tags'])
      for (const text of [`${digits}x`, `${digits}.${digits}x`, `${' '.repeat(100_000)}x`])
        expect(argumentsOf(paint(field(key, text)))[key]).toBe(text);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('is converted by the schema of the command that is named', () => {
    expect(argumentsOf(block(field('tool_name', 'Painter') + field('command', 'Erase') + field('count', '5')))).toEqual(
      { command: 'Erase', count: '5' },
    );
  });

  it('keeps its inner lines and indentation, and loses one line break at either end', () => {
    expect(argumentsOf(paint(`prompt:「始」\n  def f():\n    return 1\n\n  # end\n  「末」`))['prompt']).toBe(
      '  def f():\n    return 1\n\n  # end',
    );
    expect(argumentsOf(paint(`prompt:「始」\r\na\r\n「末」`))['prompt']).toBe('a');
  });

  it('may hold anything between escaping quotes', () => {
    const code = `${block(field('tool_name', 'X'))} and 「始」more「末」`;
    expect(argumentsOf(paint(`prompt:「始ESCAPE」${code}「末ESCAPE」`))['prompt']).toBe(code);
  });

  it('may write a marker so that it is restored', () => {
    expect(
      argumentsOf(paint(field('prompt', '<<<[TOOL_REQUEST_ESCAPE]>>> and <<<[END_TOOL_REQUEST_ESCAPE]>>>')))['prompt'],
    ).toBe('<<<[TOOL_REQUEST]>>> and <<<[END_TOOL_REQUEST]>>>');
  });
});

describe('what was not said whole', () => {
  it.each<[string, string, string, string | null]>([
    ['no block', 'just text', 'NO_BLOCK', null],
    ['a block without an end', `<<<[TOOL_REQUEST]>>>\n${field('tool_name', 'Painter')}`, 'BLOCK_NOT_CLOSED', null],
    ['two blocks', paint() + paint(), 'SEVERAL_BLOCKS', null],
    ['a value without an end', block('tool_name:「始」Painter「末」, prompt:「始」cat'), 'VALUE_NOT_CLOSED', 'prompt'],
    [
      'an escaped value without an end',
      block(`${field('tool_name', 'Painter')} prompt:「始ESCAPE」cat「末」`),
      'VALUE_NOT_CLOSED',
      'prompt',
    ],
    [
      'a value that hides the end of the block',
      `<<<[TOOL_REQUEST]>>>${field('tool_name', 'Painter')} prompt:「始」<<<[END_TOOL_REQUEST]>>>「末」`,
      'VALUE_NOT_CLOSED',
      'prompt',
    ],
    [
      'a value that swallowed the next field',
      block('tool_name:「始」Painter, prompt:「始」cat「末」'),
      'VALUE_NOT_CLOSED',
      'tool_name',
    ],
    [
      'a path that swallowed the yes in the next line',
      block('tool_name:「始」Painter「末」, path:「始」/a ,\nforce:「始」true「末」'),
      'VALUE_NOT_CLOSED',
      'path',
    ],
    [
      'a no whose key lacks its colon',
      block(`${field('tool_name', 'Painter')}, force 「始」false「末」`),
      'VALUE_WITHOUT_KEY',
      null,
    ],
    ['a value without a key', block(`${field('tool_name', 'Painter')} 「始」cat「末」`), 'VALUE_WITHOUT_KEY', null],
    ['a block in a block', paint(`prompt:「始」<<<[TOOL_REQUEST]>>>「末」`), 'NESTED_BLOCK', 'prompt'],
    ['no tool', block(field('command', 'Paint')), 'NO_TOOL_NAME', 'tool_name'],
    ['an empty tool', block(field('tool_name', '  ')), 'NO_TOOL_NAME', 'tool_name'],
    ['a time to wait for', paint(field('timely_contact', '2026-07-12')), 'UNSUPPORTED_CONTROL', 'timely_contact'],
    ['a series', paint(field('command1', 'Paint')), 'UNSUPPORTED_CONTROL', 'command1'],
  ])('is not run: %s', (_, text, code, at) => {
    expect(diagnosticOf(text)).toMatchObject({ code, field: at });
  });

  it('is read in linear time', () => {
    const started = performance.now();
    read(block('「始」'.repeat(100_000)));
    read(block(field('k', 'v').repeat(50_000)));
    read('<<<[TOOL_REQUEST]>>>'.repeat(50_000));
    read(block(`k:「始ESCAPE」v「末ESCAPE」`.repeat(50_000)));
    read(block('a'.repeat(2_000_000)));
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
