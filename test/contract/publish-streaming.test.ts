// A large file is written as it is read: what is read ahead of the disk is counted, as memory itself cannot be.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createFsResourceStore } from '../../adapters/fs/fs-resource-store.ts';
import type { LocalFiles } from '../../src/ports/resource-store.ts';
import { publishing } from '../support/publishing.ts';

const MIB = 1024 * 1024;
const root = mkdtempSync(join(tmpdir(), 'vcp-test-streaming-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const written = (): number =>
  readdirSync(join(root, 'incoming')).reduce((sum, name) => sum + statSync(join(root, 'incoming', name)).size, 0);

/** One file of so many pieces, which notes how far its reader is ahead of what stands on the disk. */
const countedFiles = (pieces: number, pieceBytes: number) => {
  const ahead: number[] = [];
  let given = 0;
  const stream = () =>
    new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          ahead.push(given * pieceBytes - written());
          if (given === pieces) return controller.close();
          controller.enqueue(new Uint8Array(pieceBytes).fill(given));
          given += 1;
        },
      },
      { highWaterMark: 0 },
    );
  const file = { sizeBytes: pieces * pieceBytes, stream, close: async () => undefined };
  const files: LocalFiles = { open: async () => file, list: async () => ({ files: ['a', 'b'], skipped: 0 }) };
  return { files, ahead };
};

it('a file of 64 MiB is never more than a piece ahead of the disk', async () => {
  const store = await createFsResourceStore(root);
  const { files, ahead } = countedFiles(64, MIB);
  const resources = [{ id: 'large', localPath: 'large.bin' }];
  const { published } = await publishing({ data: null, resources }, { store, files, directory: root });
  expect(published?.resources[0]).toMatchObject({ sizeBytes: 64 * MIB, mimeType: 'application/octet-stream' });
  expect(ahead).toHaveLength(65);
  expect(Math.max(...ahead)).toBeLessThanOrEqual(MIB);
});

it('an archive of large files neither', async () => {
  const store = await createFsResourceStore(root);
  const { files, ahead } = countedFiles(32, MIB);
  const resources = [{ id: 'folder', kind: 'directory', localPath: 'folder' }];
  const { published } = await publishing({ data: null, resources }, { store, files, directory: root });
  expect(published?.resources[0]?.mimeType).toBe('application/zip');
  expect(Math.max(...ahead)).toBeLessThanOrEqual(2 * MIB);
});

it('what is larger than allowed is given up when it is, and nothing of it is kept', async () => {
  const store = await createFsResourceStore(root);
  const { files, ahead } = countedFiles(64, MIB);
  const resources = [{ id: 'large', localPath: 'large.bin' }];
  const limits = { resourceBytes: 3 * MIB };
  const { failure } = await publishing({ data: null, resources }, { store, files, directory: root, limits });
  expect(failure).toMatchObject({ code: 'RESOURCE_TOO_LARGE', details: { pointer: '/resources/0/localPath' } });
  expect(ahead.length).toBeLessThanOrEqual(5);
  expect(readdirSync(join(root, 'incoming'))).toEqual([]);
});
