// The sandboxed plugin that docs/plugin-guide.md shows, made and judged as the page says.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildPlugin } from '../../../adapters/node/plugin-build/build-plugin.ts';
import { checkPlugin } from '../../../adapters/node/plugin-check/check-plugin.ts';
import { serverRoot } from '../../../adapters/node/server-root.ts';

it('keeps its contract cases', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vcp-guide-'));
  try {
    const plugin = join(folder, 'Visits');
    await cp(join(serverRoot, 'examples', 'sandboxed', 'Visits'), plugin, { recursive: true });
    await buildPlugin(plugin);
    const { refusal, cases } = await checkPlugin(plugin);
    expect({ refusal, faults: cases.flatMap(({ faults }) => faults), cases: cases.length }).toEqual({
      refusal: null,
      faults: [],
      cases: 4,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
