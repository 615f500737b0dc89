import { describe, expect, it } from 'vitest';
import type { VariableSource } from '../../../src/chat/variables/variable-source.ts';
import { expand, plainValues, promptsOf } from '../../support/chat.ts';

const codes = (diagnostics: readonly { code: string; name: string }[]) =>
  diagnostics.map(({ code, name }) => `${code} ${name}`);

describe('variables', () => {
  it('are filled in where they stand, and what nobody knows is left and told of', async () => {
    const { text, diagnostics } = await expand('{{A}} and {{B}}, {{C}}', [plainValues({ A: '1', B: '2' })]);
    expect(text).toBe('1 and 2, {{C}}');
    expect(codes(diagnostics)).toEqual(['UNKNOWN_VARIABLE C']);
  });

  it('do not collide by their beginnings', async () => {
    const { text } = await expand('{{VarUser}} {{VarUserName}}', [promptsOf({ VarUserName: 'Mei', VarUser: 'u' })]);
    expect(text).toBe('u Mei');
  });

  it('that insert tokens have them shown, not filled in', async () => {
    const { text } = await expand('{{A}} {{VarB}}', [
      plainValues({ A: '{{B}}', B: 'x' }),
      promptsOf({ VarB: '{{A}}' }),
    ]);
    expect(text).toBe('{{B}} {{B}}');
  });

  it('whose two halves meet make no new token', async () => {
    const { text } = await expand('{{A}}{{B}}', [plainValues({ A: '{{', B: 'A}}' })]);
    expect(text).toBe('{{A}}');
  });

  it('are filled in inside definitions, over several levels', async () => {
    const { text, diagnostics } = await expand('{{TarAll}}', [
      promptsOf({ TarAll: 'I am {{VarWho}}.', VarWho: '{{VarName}} of {{Place}}', VarName: 'Nova' }),
      plainValues({ Place: 'Home' }),
    ]);
    expect(text).toBe('I am Nova of Home.');
    expect(diagnostics).toEqual([]);
  });

  it('of a cycle are cut where it closes, and told of with the way', async () => {
    const sources = [promptsOf({ VarA: 'a{{VarB}}', VarB: 'b{{VarA}}', VarSelf: 's{{VarSelf}}' })];
    const { text, diagnostics } = await expand('{{VarA}} {{VarB}} {{VarSelf}}', sources);
    expect(text).toBe('ab{{VarA}} b{{VarA}} s{{VarSelf}}');
    expect(codes(diagnostics)).toEqual(['VARIABLE_CYCLE VarA', 'VARIABLE_CYCLE VarSelf']);
    expect(diagnostics[0]?.message).toContain('VarA → VarB → VarA');
  });

  it('that lead too deep are left', async () => {
    const settings = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`Var_${index}`, `{{Var_${index + 1}}}`]),
    );
    const { text, diagnostics } = await expand('{{Var_0}}', [promptsOf(settings)], { variableDepth: 4 });
    expect(text).toBe('{{Var_4}}');
    expect(codes(diagnostics)).toEqual(['VARIABLE_TOO_DEEP Var_4']);
  });

  it('that double with each level end at the size that one may have', async () => {
    const settings = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`Var_${index}`, `{{Var_${index + 1}}}{{Var_${index + 1}}}`]),
    );
    const { text, diagnostics } = await expand('{{Var_0}}', [promptsOf({ ...settings, Var_40: 'x'.repeat(100) })], {
      variableDepth: 64,
      variableCharacters: 10_000,
    });
    expect(text.length).toBeLessThan(20_000);
    expect(diagnostics.some(({ code }) => code === 'VARIABLE_TOO_LARGE')).toBe(true);
  });

  it('add no more to a request than it may have', async () => {
    const { text, diagnostics } = await expand('{{A}}'.repeat(10), [plainValues({ A: 'x'.repeat(100) })], {
      expandedCharacters: 350,
    });
    expect(text).toBe('x'.repeat(300) + '{{A}}'.repeat(7));
    expect(codes(diagnostics)).toEqual(['VARIABLE_TOO_LARGE A']);
  });

  it('are looked up once each, at the same time, and only when they occur', async () => {
    const asked: string[] = [];
    let release = () => {};
    const gate = new Promise<void>((done) => {
      release = done;
    });
    const source: VariableSource = {
      find: async (name) => {
        asked.push(name);
        if (asked.length === 2) release();
        await gate;
        return { text: name.toLowerCase(), kind: 'plain' };
      },
    };
    const { text } = await expand('{{A}}{{B}}{{A}}', [source]);
    expect(text).toBe('aba');
    expect(asked).toEqual(['A', 'B']);
  });

  it('whose source fails or hangs have a note in their place, and the others their value', async () => {
    const source: VariableSource = {
      find: (name) => {
        if (name === 'Hangs') return new Promise(() => {});
        if (name === 'Fails') throw new Error('the disk is gone');
        return { text: 'fine', kind: 'plain' };
      },
    };
    const { text, diagnostics } = await expand('{{Hangs}} {{Fails}} {{Other}}', [source], { variableMs: 20 });
    expect(text).toBe('[no Hangs] [no Fails] fine');
    expect(diagnostics).toEqual([
      { code: 'VARIABLE_UNAVAILABLE', name: 'Hangs', message: 'it had no value within 20 ms' },
      { code: 'VARIABLE_UNAVAILABLE', name: 'Fails', message: 'the disk is gone' },
    ]);
  });

  it('beyond those that a request may use are left', async () => {
    const { text, diagnostics } = await expand('{{A}}{{B}}{{C}}', [plainValues({ A: '1', B: '2', C: '3' })], {
      variablesPerRequest: 2,
    });
    expect(text).toBe('12{{C}}');
    expect(codes(diagnostics)).toEqual(['TOO_MANY_VARIABLES C']);
  });

  it('that occur more often than they may are left', async () => {
    const { text, diagnostics } = await expand('{{A}}'.repeat(5), [plainValues({ A: '1' })], { variableTokens: 3 });
    expect(text).toBe('111{{A}}{{A}}');
    expect(codes(diagnostics)).toEqual(['TOO_MANY_VARIABLES ']);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '{{%s}} is a name like any other',
    async (name) => {
      const { text, diagnostics } = await expand(`{{${name}}}`, [promptsOf({}), plainValues({})]);
      expect(text).toBe(`{{${name}}}`);
      expect(codes(diagnostics)).toEqual([`UNKNOWN_VARIABLE ${name}`]);
    },
  );

  it('are told of only so many', async () => {
    const text = Array.from({ length: 200 }, (_, index) => `{{N${index}}}`).join('');
    expect((await expand(text, [])).diagnostics).toHaveLength(16);
  });
});
