import { describe, expect, it } from 'vitest';
import { isPromptVariable } from '../../../src/lib/variable-names.ts';
import { expand, promptsOf } from '../../support/chat.ts';

describe('the settings that models may see', () => {
  it.each(['VarUser', 'TarSystem', 'SarPrompt1', 'Var_x', 'Var城市', 'Tar1'])('%s is one', (name) => {
    expect(isPromptVariable(name)).toBe(true);
  });

  it.each([
    'VCP_API_KEY',
    'PATH',
    'Variable',
    'Target',
    'Sarah',
    'VARUSER',
    'varUser',
    'Var',
    'MyVarUser',
    ' VarUser',
    'Var User',
    '__proto__',
  ])('%s is none', (name) => {
    expect(isPromptVariable(name)).toBe(false);
  });

  it('never show another one, whatever the environment holds', async () => {
    const secrets = { VCP_API_KEY: 'secret', OPENAI_API_KEY: 'secret', Variable: 'secret', SarModel1: 'secret' };
    const text = '{{VCP_API_KEY}}{{OPENAI_API_KEY}}{{Variable}}{{SarModel1}}{{Var..VCP_API_KEY}}';
    expect((await expand(text, [promptsOf(secrets)])).text).toBe(text);
  });
});

describe('a value that ends in .txt', () => {
  it('is the text of that file, with its variables', async () => {
    const { text } = await expand('{{TarSystem}}', [
      promptsOf({ TarSystem: 'system.txt', VarName: 'Nova' }, { 'system.txt': 'I am {{VarName}}.' }),
    ]);
    expect(text).toBe('I am Nova.');
  });

  it('may lie in a folder', async () => {
    expect((await expand('{{VarA}}', [promptsOf({ VarA: 'a/b.txt' }, { 'a/b.txt': 'deep' })])).text).toBe('deep');
  });

  it.each([
    '../secret.txt',
    '/etc/secret.txt',
    'a/../../secret.txt',
    'C:\\secret.txt',
    '..\\secret.txt',
    './a.txt',
    'a//b.txt',
  ])('does not lead out of the directory: %s', async (path) => {
    const { text, diagnostics } = await expand('{{VarA}}', [promptsOf({ VarA: path }, { [path]: 'out' })]);
    expect(text).toBe('[no VarA]');
    expect(diagnostics).toMatchObject([{ code: 'VARIABLE_UNAVAILABLE', name: 'VarA' }]);
  });

  it('that is not there is told of', async () => {
    const { diagnostics } = await expand('{{VarA}}', [promptsOf({ VarA: 'gone.txt' })]);
    expect(diagnostics[0]?.message).toBe('the file gone.txt that it names is not in the directory of prompts');
  });
});

describe('an agent', () => {
  it('is the file of its name, in any script', async () => {
    const files = { 'agents/小雪.txt': '我是小雪。', 'agents/Nova.txt': 'I am Nova.' };
    const { text } = await expand('{{agent:小雪}}{{agent:Nova}}', [promptsOf({}, files)]);
    expect(text).toBe('我是小雪。I am Nova.');
  });

  it('that has no file is unknown', async () => {
    const { text, diagnostics } = await expand('{{agent:Nobody}}', [promptsOf({})]);
    expect(text).toBe('{{agent:Nobody}}');
    expect(diagnostics[0]?.code).toBe('UNKNOWN_VARIABLE');
  });

  it('is not looked for outside of its folder', async () => {
    const { text } = await expand('{{agent:..}}{{agent:a:b}}', [promptsOf({}, { '.txt': 'x', '..txt': 'x' })]);
    expect(text).not.toContain('x');
  });
});

describe('a text for some models', () => {
  const settings = { SarModel1: 'gemini-2.5-pro, claude-*', SarPrompt1: 'For {{VarName}}.', VarName: 'you' };

  it.each([
    ['gemini-2.5-pro', 'For you.'],
    ['Gemini-2.5-PRO', 'For you.'],
    ['claude-opus', 'For you.'],
    ['gemini-2.5-pro-latest', ''],
    ['gpt-4o', ''],
  ])('is for %s: %j', async (model, expected) => {
    expect((await expand('{{SarPrompt1}}', [promptsOf(settings, {}, model)])).text).toBe(expected);
  });

  it('whose models are not named is told of', async () => {
    const { text, diagnostics } = await expand('{{SarPrompt2}}', [promptsOf({ SarPrompt2: 'x' })]);
    expect(text).toBe('[no SarPrompt2]');
    expect(diagnostics[0]?.message).toContain('SarModel2');
  });
});
