import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BlobReader, TextWriter, ZipReader } from '@zip.js/zip.js';
import { createArchive } from '../create-archive.mjs';
import { entryNames } from '../entry-names.mjs';

let directory;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'vcp-test-archive-'));
});
after(() => rmSync(directory, { recursive: true, force: true }));

const given = (fileName, bytes) => {
  const localPath = `in-${fileName}`;
  writeFileSync(join(directory, localPath), bytes);
  return { $resource: 'res_x', fileName, mimeType: 'text/plain', sizeBytes: bytes.length, localPath };
};

const jobOf = (signal = new AbortController().signal) => {
  const reports = [];
  return { resourceDir: directory, signal, progress: (report) => reports.push(report), reports };
};

const unpacked = async () => {
  const reader = new ZipReader(new BlobReader(new Blob([readFileSync(join(directory, 'archive.zip'))])));
  const entries = await reader.getEntries();
  return await Promise.all(entries.map(async (entry) => [entry.filename, await entry.getData(new TextWriter())]));
};

test('packs files in order, with their bytes, and tells how far it is', async () => {
  const job = jobOf();
  const files = [given('a.txt', 'x'.repeat(300_000)), given('月.txt', 'moon'), given('empty', '')];
  const { data, resources } = await createArchive({ files, fileName: 'f.zip', folder: 'out', level: 9 }, job);
  assert.deepEqual(await unpacked(), [
    ['out/a.txt', 'x'.repeat(300_000)],
    ['out/月.txt', 'moon'],
    ['out/empty', ''],
  ]);
  assert.equal(data.totalBytes, 300_004);
  assert.ok(data.archiveBytes < 2_000);
  assert.deepEqual(resources[0].fileName, 'f.zip');
  assert.equal(job.reports.at(-1).progress, 1);
  assert.ok(job.reports.length > 3);
});

test('the same files give the same archive', async () => {
  const files = [given('a.txt', 'same')];
  const bytes = async () => {
    await createArchive({ files, fileName: 'f.zip', level: 6 }, jobOf());
    return readFileSync(join(directory, 'archive.zip'));
  };
  assert.deepEqual(await bytes(), await bytes());
});

test('gives every file a name of its own that unpacks everywhere', () => {
  assert.deepEqual(entryNames(['a.txt', 'A.TXT', 'a.txt', '../../etc/passwd', 'b:c?.md', '...', '.env', 'x. ']), [
    'a.txt',
    'A (2).TXT',
    'a (3).txt',
    'passwd',
    'b_c_.md',
    'file',
    '.env',
    'x',
  ]);
});

test('refuses an archive that cannot be handed over', async () => {
  const noise = new Uint8Array(12 * 1024 * 1024);
  for (let at = 0; at < noise.length; at += 65_536) crypto.getRandomValues(noise.subarray(at, at + 65_536));
  await assert.rejects(createArchive({ files: [given('noise', noise)], fileName: 'f.zip', level: 0 }, jobOf()), {
    code: 'RESOURCE_TOO_LARGE',
  });
});

test('stops when its task is cancelled', async () => {
  const controller = new AbortController();
  const job = jobOf(controller.signal);
  job.progress = () => controller.abort();
  await assert.rejects(createArchive({ files: [given('a', 'x'.repeat(5_000_000))], fileName: 'f.zip', level: 1 }, job));
});
