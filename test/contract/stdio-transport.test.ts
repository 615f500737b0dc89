import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createStdioTransport } from '../../adapters/node/stdio/stdio-transport.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import { createToolRegistry } from '../../src/registry/tool-registry.ts';
import { foundManifest } from '../support/manifest.ts';
import { processesLeft, processesWith, until } from '../support/processes.ts';
import { describeTransport, transportCall, type Behaviour } from './suites/transport.ts';

const open = async () => {
  const pluginDataRoot = mkdtempSync(join(tmpdir(), 'vcp-test-transport-'));
  const transport = createStdioTransport({
    limits: DEFAULT_LIMITS,
    pluginDataRoot,
    configurationOf: () => ({ GREETING: 'hello' }),
  });
  const pluginFor = (behaviour: Behaviour) =>
    createToolRegistry([
      foundManifest({ name: 'Behaves', command: 'node', args: ['behaves.mjs', behaviour] }),
    ]).list()[0]!;
  const close = async () => {
    await transport.close?.();
    const left = await processesLeft(pluginDataRoot);
    rmSync(pluginDataRoot, { recursive: true, force: true });
    expect(left).toEqual([]);
  };
  return { transport, pluginFor, close, pluginDataRoot };
};

describeTransport('stdio', open);

it('ends what runs when it is closed, and starts nothing after that', async () => {
  const { transport, pluginFor, close, pluginDataRoot } = await open();
  const calls = [transportCall(pluginFor('hang')), transportCall(pluginFor('hang-heeding'))];
  const running = Promise.allSettled(calls.map((call) => transport.execute(call)));
  await until('both run', () => processesWith(pluginDataRoot).length === 2);
  await transport.close?.();
  expect(await processesLeft(pluginDataRoot, 500)).toEqual([]);
  for (const outcome of await running)
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { name: 'TransportError', code: 'TRANSPORT_FAILURE' },
    });
  const late = transportCall(pluginFor('echo'));
  await expect(transport.execute(late)).rejects.toMatchObject({ code: 'TRANSPORT_FAILURE', retryable: true });
  for (const call of [...calls, late]) call.done();
  await close();
});
