import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { ResultView } from '../../../src/protocol/invocation.ts';
import { project } from '../../../src/runtime/project.ts';
import { callSample, createMemoryRuntime, success } from '../../support/memory-runtime.ts';

const KNOWN = ['/strange/place'];

/** What a reader sees of the answer `said` to a call with these arguments. */
const shown = async (args: JsonObject, said: unknown, view: ResultView = 'ai', role = 'ai', extensions = {}) => {
  const parts = createMemoryRuntime({ answer: () => success({ said }, { extensions }), knownPaths: KNOWN });
  const result = await callSample(parts, args);
  return JSON.stringify(
    project(result, view, { viewer: { roles: new Set([role]) }, knownPaths: KNOWN, limits: DEFAULT_LIMITS }),
  );
};

describe('what a caller named', () => {
  it.each([
    [{ url: 'http://localhost:3000/x' }, 'fetched http://localhost:3000/y', 'http://localhost:3000/y'],
    [{ hosts: ['10.0.0.5:8080'] }, '10.0.0.5:8080 is up', '10.0.0.5:8080 is up'],
    [{ file: '/home/nova/a.txt' }, 'read "/home/nova/a.txt"', '/home/nova/a.txt'],
    [{ file: '/home/nova/My Notes/a.txt' }, 'read "/home/nova/My Notes/a.txt"', '/home/nova/My Notes/a.txt'],
  ])('is shown to that caller: %j', async (args, said, expected) => {
    for (const view of ['ai', 'canonical', 'workflow', 'bridge'] as const)
      expect(await shown(args, said, view, 'human')).toContain(JSON.stringify(expected).slice(1, -1));
    expect(await shown({}, said)).not.toContain(expected);
  });

  it.each([
    [{ dir: '/home/nova' }, '/home/nova/.ssh/id_rsa', 'id_rsa'],
    [{ text: 'a log that tells of 10.0.0.5' }, '10.0.0.5', '10.0.0.5'],
    [{ payload: { deep: { host: '10.0.0.5' } } }, '10.0.0.5', '10.0.0.5'],
    [{ host: '10.0.0.5' }, '10.0.0.50', '10.0.0.50'],
    [{ host: '10.0.0.5' }, 'and 10.0.0.6', '10.0.0.6'],
    [{ file: '/home/nova/My Notes' }, 'read "/home/nova/My Notes/a.txt"', 'a.txt'],
    [{ own: '/strange/place/my x' }, 'in "/strange/place/my x"', 'strange'],
    [{ own: '/strange/place/x' }, 'in /strange/place/x', 'strange'],
    [{ key: `sk-${'a1B2'.repeat(8)}` }, `with sk-${'a1B2'.repeat(8)}`, 'a1B2a1B2'],
    [{ url: 'http://u:pa55word@10.0.0.5/' }, 'http://u:pa55word@10.0.0.5/', 'pa55word'],
  ])('opens nothing else: %j', async (args, said, hidden) => {
    expect(await shown(args, said)).not.toContain(hidden);
  });

  it('is not in the audit view, which others read', async () => {
    expect(await shown({ host: '10.0.0.5' }, '10.0.0.5 is up', 'audit', 'human')).not.toContain('10.0.0.5');
  });

  it('is kept with the result only where it can be shown', async () => {
    const parts = createMemoryRuntime({ knownPaths: KNOWN });
    const { extensions } = await callSample(parts, { a: '/strange/place/x', b: '10.0.0.5', c: '/tmp/strange/place/x' });
    expect(extensions).toEqual({ 'vcp.caller': { gave: ['10.0.0.5', '/tmp/strange/place/x'] } });
    expect((await callSample(parts, { n: 1 })).extensions).toEqual({});
  });

  it('cannot be said by a plugin', async () => {
    const forged = { 'vcp.caller': { gave: ['/etc/shadow'] }, 'example.x': 1 };
    for (const args of [{}, { host: '10.0.0.5' }]) {
      const text = await shown(args, 'see /etc/shadow', 'canonical', 'human', forged);
      expect(text).not.toContain('shadow');
      expect(text).toContain('"example.x":1');
    }
  });
});
