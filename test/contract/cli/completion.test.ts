// What a shell is offered, without a shell: the line is read, and the program and its server are asked.
import { describe, expect, it } from 'vitest';
import { bashReplies } from '../../../adapters/node/cli/completion/bash-replies.ts';
import { valuesOf } from '../../../adapters/node/cli/completion/candidate.ts';
import { completeWords, type ValueSource } from '../../../adapters/node/cli/completion/complete-words.ts';
import { splitLine } from '../../../adapters/node/cli/completion/split-line.ts';
import { createProgram } from '../../../adapters/node/cli/create-program.ts';

const BREAKS = ' \t\n"\'><=;|&(:@';

describe('a line is split as a shell splits it', () => {
  it.each<[string, string[], string]>([
    ['vcp ', ['vcp'], ''],
    ['vcp call', ['vcp'], 'call'],
    ['vcp  call   X ', ['vcp', 'call', 'X'], ''],
    ['vcp "a b" c', ['vcp', 'a b'], 'c'],
    [`vcp 'it is' "say \\"x\\"" a\\ b`, ['vcp', 'it is', 'say "x"'], 'a b'],
    ['vcp --arg text="a b', ['vcp', '--arg'], 'text=a b'],
    ['vcp $(rm -rf x) `y', ['vcp', '$(rm', '-rf', 'x)'], '`y'],
    ["vcp '' x", ['vcp', ''], 'x'],
    ['vcp 日程 ', ['vcp', '日程'], ''],
  ])('%s', (line, words, current) => {
    expect(splitLine(line)).toMatchObject({ words, current });
  });
});

describe('bash gets the part of a word that it replaces', () => {
  it.each<[string, string, string]>([
    ['vcp ca', 'call', 'call'],
    ['vcp call --arg un', 'unit=', 'unit='],
    ['vcp call --arg unit=k', 'unit=km', 'km'],
    ['vcp call --view=a', '--view=ai', 'ai'],
    ['vcp call --arg a=b:c', 'a=b:cd', 'cd'],
    ['vcp call --arg unit=k', 'unit=km per hour', 'km\\ per\\ hour'],
    ['vcp call --arg "unit=k', 'unit=km per hour', 'unit=km per hour'],
    ['vcp call --arg unit="k', 'unit=km per hour', 'km per hour'],
    ['vcp call T', 'Tool$(x)', 'Tool\\$\\(x\\)'],
  ])('%s → %s', (line, value, reply) => {
    expect(bashReplies([value], splitLine(line), BREAKS)).toEqual([reply]);
  });

  it('where it does not cut at an equals sign, gets the whole word', () => {
    expect(bashReplies(['unit=km'], splitLine('vcp call --arg unit=k'), ' \t\n')).toEqual(['unit=km']);
  });
});

describe('what is offered', () => {
  const asked: string[] = [];
  const source: ValueSource = async (name, line) => {
    asked.push(`${name} ${line.positionals.join(' ')}`);
    return name === 'file' ? { kind: 'files', prefix: '' } : valuesOf([{ value: 'alpha' }, { value: 'beta' }]);
  };
  const offered = async (...words: string[]) => {
    const completion = await completeWords(createProgram(), words.slice(0, -1), words.at(-1) ?? '', source);
    return completion.kind === 'values' ? completion.candidates.map(({ value }) => value) : completion;
  };

  it('commands first', async () => {
    expect(await offered('re')).toEqual(['results', 'records', 'resources']);
    expect(await offered('')).toContain('serve');
    expect(await offered('')).not.toContain('complete');
    expect(await offered('resources', '')).toContain('get');
  });

  it('the options of a command, each once unless it may be repeated', async () => {
    expect(await offered('call', 'X', '--')).toEqual(
      expect.arrayContaining(['--command', '--arg', '--view', '--help']),
    );
    expect(await offered('call', 'X', '--view', 'ai', '--arg', 'a=1', '--')).not.toContain('--view');
    expect(await offered('call', 'X', '--view', 'ai', '--arg', 'a=1', '--')).toContain('--arg');
  });

  it.each<[string, string[], string[]]>([
    ['the choices of an option', ['call', 'X', '--view', 'a'], ['ai', 'audit']],
    ['the choices after an equals sign', ['call', '--view=a'], ['--view=ai', '--view=audit']],
    ['the choices of an argument', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['values of an argument', ['call', 'al'], ['alpha']],
    ['values of an option', ['call', 'X', '--command', ''], ['alpha', 'beta']],
    ['an argument after --', ['call', '--', ''], ['alpha', 'beta']],
    ['an argument after options', ['call', '--url', 'http://x', '--progress', 'b'], ['beta']],
    ['nothing after the last argument', ['call', 'X', ''], []],
    ['nothing for an option that is not there', ['call', '--nothing=', ''], ['alpha', 'beta']],
    ['nothing for a switch with a value', ['call', '--progress='], []],
  ])('%s', async (_, words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  it('files, where the shell knows better', async () => {
    expect(await offered('resources', 'get', 'res_x', '--output', '')).toEqual({ kind: 'files', prefix: '' });
  });

  it('is asked for by the name that help gives a value', async () => {
    asked.length = 0;
    await offered('call', 'X', '--arg', '');
    await offered('results', '');
    expect(asked).toEqual(['name=value X', 'result ']);
  });
});
