import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readModuleFile } from '../../../adapters/node/wasm/read-module-file.ts';
import { wasmManifest } from '../../support/wasm-runtime.ts';
import { compilePlugin } from '../../../src/registry/compile-plugin.ts';

let root: string;
let directory: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'vcp-test-module-')));
  directory = join(root, 'plugin');
  mkdirSync(directory);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const read = (maxBytes = 1_000) => {
  const compiled = compilePlugin({ text: JSON.stringify(wasmManifest()), directory, location: directory });
  if (!compiled.ok) throw new Error(compiled.refused.reason);
  return readModuleFile({ manifest: compiled.definition.manifest, directory }, maxBytes);
};
const file = () => join(directory, 'plugin.wasm');

it('gives the bytes of the file', async () => {
  writeFileSync(file(), 'some bytes');
  expect(await read()).toEqual({ ok: true, bytes: new TextEncoder().encode('some bytes') });
});

it('follows a link within the folder and none out of it', async () => {
  writeFileSync(join(directory, 'built.wasm'), 'inside');
  symlinkSync('built.wasm', file());
  expect(await read()).toMatchObject({ ok: true });
  rmSync(file());
  writeFileSync(join(root, 'outside.wasm'), 'outside');
  symlinkSync(join(root, 'outside.wasm'), file());
  expect(await read()).toEqual({
    ok: false,
    reason: 'its module plugin.wasm is a link out of its folder; put the file itself there',
  });
});

it('says what is wrong with a file that is not there, too large, or no file', async () => {
  expect(await read()).toEqual({ ok: false, reason: 'its module "plugin.wasm" is not in the plugin\'s folder' });
  writeFileSync(file(), 'x'.repeat(1_001));
  expect(await read()).toMatchObject({ reason: expect.stringMatching(/has more than 1000 bytes/) as string });
  rmSync(file());
  mkdirSync(file());
  expect(await read()).toMatchObject({ ok: false });
});

it.skipIf(process.platform === 'win32')('does not wait at a pipe', async () => {
  execFileSync('mkfifo', [file()]);
  expect(await read()).toEqual({ ok: false, reason: 'its module plugin.wasm is not a file' });
});
