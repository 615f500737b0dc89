import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { promptSettings } from '../../adapters/node/prompt-settings.ts';
import { silentLogger } from '../support/silent-logger.ts';

let root: string;
let file: string;
let warned: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vcp-test-settings-'));
  file = join(root, 'config.env');
  warned = [];
});
afterEach(() => rmSync(root, { recursive: true }));

const open = (environment: NodeJS.ProcessEnv = {}, path: string | null = file) =>
  promptSettings(environment, path, Date.now, { ...silentLogger, warn: (event) => void warned.push(event) });

describe('the settings that are texts for models', () => {
  it('are those of the environment over those of the file, and nothing else of either', () => {
    writeFileSync(file, 'VarUser=file\nTarSystem="two\nlines"\nVCP_API_KEY=secret\nSECRET=secret\n');
    const settings = open({ VarUser: 'environment', PATH: '/bin', OPENAI_API_KEY: 'secret' });
    expect([...settings()].toSorted()).toEqual([
      ['TarSystem', 'two\nlines'],
      ['VarUser', 'environment'],
    ]);
  });

  it('follow the file: what is changed, what is taken out, and a file that goes', () => {
    const settings = open();
    expect(settings().size).toBe(0);
    writeFileSync(file, 'VarA=1\nVarB=2\n');
    expect(settings().get('VarA')).toBe('1');
    writeFileSync(file, 'VarA=3\n');
    expect([...settings()]).toEqual([['VarA', '3']]);
    rmSync(file);
    expect(settings().size).toBe(0);
  });

  it('stay as they were while the file cannot be read, which is told once', () => {
    writeFileSync(file, 'VarA=1\n');
    const settings = open();
    expect(settings().get('VarA')).toBe('1');
    rmSync(file);
    mkdirSync(file);
    expect([settings().get('VarA'), settings().get('VarA')]).toEqual(['1', '1']);
    expect(warned).toEqual(['prompts.settings-unreadable']);
  });

  it('are those of the environment alone where there is no file', () => {
    expect([...open({ VarA: '1' }, null)()]).toEqual([['VarA', '1']]);
  });
});
