import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createStdioTransport } from '../../adapters/node/stdio/stdio-transport.ts';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import type { PluginDefinition } from '../../src/registry/plugin-definition.ts';
import { createToolRegistry } from '../../src/registry/tool-registry.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { foundManifest } from '../support/manifest.ts';
import { processesLeft, processesWith, until } from '../support/processes.ts';
import { transportCall } from '../support/transport-call.ts';
import { describeTransport, type Behaviour } from './suites/transport.ts';

const open = async (script = 'behaves.mjs', more: Readonly<Record<string, unknown>> = {}) => {
  const pluginDataRoot = mkdtempSync(join(tmpdir(), 'vcp-test-transport-'));
  const transport = createStdioTransport({
    limits: { ...DEFAULT_LIMITS, standbyProcesses: 0 },
    logger: silentLogger,
    pluginDataRoot,
    configurationOf: () => ({ GREETING: 'hello' }),
  });
  const plugins = new Map<Behaviour, PluginDefinition>();
  const pluginFor = (behaviour: Behaviour) => {
    const known = plugins.get(behaviour);
    if (known !== undefined) return known;
    const spec = { name: 'Behaves', command: 'node', args: [script, behaviour], more };
    const [plugin] = createToolRegistry([foundManifest(spec)]).list() as [PluginDefinition];
    plugins.set(behaviour, plugin);
    return plugin;
  };
  const close = async () => {
    await transport.close?.();
    const left = await processesLeft(pluginDataRoot);
    rmSync(pluginDataRoot, { recursive: true, force: true });
    expect(left).toEqual([]);
  };
  return { transport, pluginFor, close, pluginDataRoot };
};

describeTransport('stdio, one process a call', () => open());
describeTransport('stdio, workers', () =>
  open('behaves-worker.mjs', { communication: { protocol: 'stdio', mode: 'worker', timeoutMs: 20_000, processes: 2 } }),
);

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
