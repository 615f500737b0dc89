// The files in test/fixtures/files are the ones that the tests make, and other programs read them.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../support/manifest.ts';
import { SAMPLE_FILES } from '../support/sample-files.ts';

const directory = join(repositoryRoot, 'test', 'fixtures', 'files');

it('are written down as they are made', () => {
  expect(readdirSync(directory).toSorted()).toEqual(Object.keys(SAMPLE_FILES).toSorted());
  for (const [name, { bytes }] of Object.entries(SAMPLE_FILES))
    expect(readFileSync(join(directory, name)).equals(bytes), name).toBe(true);
});

it('are read by the libraries of another language', () => {
  const script = `
import sys, wave, zipfile, xml.dom.minidom
d = sys.argv[1]
w = wave.open(d + '/silence.wav'); print(w.getnframes() / w.getframerate())
z = zipfile.ZipFile(d + '/hello.zip'); assert z.testzip() is None; print(z.read('hello.txt').decode())
print(xml.dom.minidom.parse(d + '/square.svg').documentElement.tagName)`;
  expect(execFileSync('python3', ['-c', script, directory], { encoding: 'utf8' })).toBe('0.25\nhello\nsvg\n');
});
