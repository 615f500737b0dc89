import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { describeFacts } from '../describe-facts.mjs';
import { measureFacts } from '../measure-facts.mjs';
import { readFacts } from '../read-facts.mjs';

const GIB = 1024 ** 3;
const FACTS = { cores: 1, load: null, memoryBytes: 2 * GIB, memoryFreeBytes: GIB, uptimeSeconds: 90_000, disks: [] };

describe('the facts of this machine', () => {
  it('are figures that can be true', async () => {
    const facts = await measureFacts(tmpdir());
    assert.ok(facts.cores >= 1);
    assert.ok(facts.memoryFreeBytes > 0 && facts.memoryFreeBytes <= facts.memoryBytes);
    assert.ok(facts.uptimeSeconds > 0);
    assert.equal(facts.disks.length, 1);
    assert.ok(facts.disks[0].bytes >= facts.disks[0].freeBytes);
  });

  it('name no directory, and leave out one that is not there', async () => {
    const { disks } = await measureFacts(`/, ${join(tmpdir(), 'not', 'there')},`);
    assert.deepEqual(
      disks.map(({ name }) => name),
      ['root'],
    );
    assert.deepEqual((await measureFacts('')).disks, []);
  });
});

describe('the line', () => {
  it('does without a load where the system has none', () => {
    assert.equal(describeFacts(FACTS, 'en'), '1 core, 1.0 of 2.0 GiB of memory free, up 1 d 1 h');
  });

  it('is Chinese when that is asked for', () => {
    const disks = [{ name: 'data', bytes: 10 * GIB, freeBytes: 4 * GIB }];
    assert.equal(
      describeFacts({ ...FACTS, load: 1.5, cores: 4, disks }, 'zh'),
      '4 核，负载 1.5；内存可用 1.0/2.0 GiB；磁盘 data 可用 4.0/10.0 GiB；已运行 1 天 1 小时',
    );
  });
});

describe('facts of a file', () => {
  it('that cannot be used are an error that names the setting, and no path', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'host-facts-'));
    try {
      const file = join(folder, 'facts.json');
      const refused = (error) =>
        error.code === 'HOST.FACTS_UNREADABLE' &&
        error.message.includes('HOST_FACTS_FILE') &&
        !error.message.includes(folder);
      await assert.rejects(readFacts(file), refused);
      await writeFile(file, 'no JSON');
      await assert.rejects(readFacts(file), refused);
      await writeFile(file, ' '.repeat(65 * 1024));
      await assert.rejects(readFacts(file), refused);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
