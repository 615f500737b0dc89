import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFsPluginSwitches } from '../../adapters/fs/fs-plugin-switches.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vcp-test-switches-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = () => createFsPluginSwitches(join(directory, 'switches'), () => Date.UTC(2026, 10, 30));

describe('the switches of plugins', () => {
  it('are read by whoever opens them later', async () => {
    const switches = await open();
    await switches.set('天气.v2', false, 'me');
    await switches.set('B', true, 'me');
    await switches.set('C', true, 'me');
    await switches.set('C', null, 'me');
    expect([...(await (await open()).read())].toSorted()).toEqual([
      ['B', true],
      ['天气.v2', false],
    ]);
  });

  it('say who turned them, and when', async () => {
    await (await open()).set('A', false, 'Alice');
    expect(JSON.parse(readFileSync(join(directory, 'switches', 'A.json'), 'utf8'))).toEqual({
      enabled: false,
      changedAt: '2026-11-30T00:00:00.000Z',
      changedBy: 'Alice',
    });
  });

  it('of two servers on one directory are not lost', async () => {
    const [one, other] = [await open(), await open()];
    await Promise.all([one.set('A', false, 'a'), other.set('B', false, 'b'), one.set('C', true, 'c')]);
    for (const switches of [one, other]) {
      expect([...(await switches.read())].toSorted()).toEqual([
        ['A', false],
        ['B', false],
        ['C', true],
      ]);
    }
  });

  it('mean "off" where a file says nothing clear, and nothing is left half written', async () => {
    const switches = await open();
    await switches.set('A', true, 'me');
    for (const [name, text] of Object.entries({ B: '{"enabled": tr', C: 'null', D: '{"enabled":"true"}' }))
      writeFileSync(join(directory, 'switches', `${name}.json`), text);
    expect(Object.fromEntries(await switches.read())).toEqual({ A: true, B: false, C: false, D: false });
    expect(readdirSync(join(directory, 'switches')).toSorted()).toEqual(['A.json', 'B.json', 'C.json', 'D.json']);
  });

  it('mean "off" where one file cannot be read, and the others still say what they say', async () => {
    const switches = await open();
    await switches.set('A', true, 'me');
    await switches.set('B', false, 'me');
    mkdirSync(join(directory, 'switches', 'C.json'));
    expect(Object.fromEntries(await switches.read())).toEqual({ A: true, B: false, C: false });
  });

  it.each(['../keys', 'a/b', '..', '.hidden', ''])('touch no file for the name "%s"', async (name) => {
    const switches = await open();
    const keys = join(directory, 'keys.json');
    writeFileSync(keys, 'the keys');
    writeFileSync(join(directory, 'switches', '.hidden.json'), '{"enabled":false}');
    for (const word of [true, null]) await expect(switches.set(name, word, 'me')).rejects.toThrow(TypeError);
    expect(readFileSync(keys, 'utf8')).toBe('the keys');
    expect([...(await switches.read())]).toEqual([]);
  });
});
