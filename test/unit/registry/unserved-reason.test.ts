import { describe, expect, it } from 'vitest';
import { PluginManifest } from '../../../src/protocol/manifest.ts';
import { unservedReason } from '../../../src/registry/unserved-reason.ts';

const command = {
  commandIdentifier: 'Run',
  description: 'Runs.',
  inputSchema: true,
  outputSchema: true,
};
const manifest = (more: object = {}, ofCommand: object = {}) =>
  PluginManifest.parse({
    manifestVersion: '1.0',
    name: 'Tool',
    displayName: 'Tool',
    version: '1.0.0',
    description: 'A tool.',
    pluginType: 'synchronous',
    toolResultProtocol: { name: 'vcp.tool-result', version: '1.0' },
    entryPoint: { type: 'command', command: 'node', args: [] },
    communication: { protocol: 'stdio' },
    capabilities: { invocationCommands: [{ ...command, ...ofCommand }] },
    ...more,
  });

describe('what this version cannot do', () => {
  it.each([
    ['remote nodes', { communication: { protocol: 'distributed' } }],
    ['MCP servers', { communication: { protocol: 'mcp' } }],
    ['fuel', { limits: { fuel: 1_000 } }],
    ['memory pages', { limits: { memoryPages: 16 } }],
    ['permissions', { permissions: { log: true } }],
    [
      'bounds inside the server',
      {
        entryPoint: { type: 'module', file: 'a.mjs' },
        communication: { protocol: 'direct' },
        limits: { outputBytes: 10 },
      },
    ],
  ])('refuses a plugin that asks for %s', (_, more) => {
    expect(unservedReason(manifest(more), { wasm: true })).toBeTypeOf('string');
  });

  it('takes commands that need approval', () => {
    expect(unservedReason(manifest({}, { approval: true }), { wasm: true })).toBeNull();
    expect(unservedReason(manifest({ approval: true }), { wasm: true })).toBeNull();
  });

  it('has no objection to asynchronous plugins and commands', () => {
    expect(unservedReason(manifest({ pluginType: 'asynchronous' }, { async: true }), { wasm: true })).toBeNull();
  });

  it('has no objection to a plain process, nor to tighter bounds for it', () => {
    expect(unservedReason(manifest(), { wasm: false })).toBeNull();
    const tighter = manifest({ limits: { outputBytes: 10, logBytes: 10 }, permissions: {} });
    expect(unservedReason(tighter, { wasm: false })).toBeNull();
  });

  it('takes a guest with limits and permissions where there is a sandbox, and nowhere else', () => {
    const guest = manifest({
      entryPoint: { type: 'wasm', file: 'a.wasm' },
      communication: { protocol: 'direct' },
      limits: { memoryPages: 16, fuel: 1_000, outputBytes: 10, logBytes: 10 },
      permissions: { log: true },
    });
    expect(unservedReason(guest, { wasm: true })).toBeNull();
    expect(unservedReason(guest, { wasm: false })).toBe('this server has no sandbox for WebAssembly plugins');
  });

  it('takes no process where none may be started, and says why none may', () => {
    const served = { wasm: true, noProcesses: 'there are none here' };
    expect(unservedReason(manifest(), served)).toBe('it is a process of its own, and there are none here');
    const inside = manifest({ entryPoint: { type: 'module', file: 'a.mjs' }, communication: { protocol: 'direct' } });
    expect(unservedReason(inside, served)).toBeNull();
  });

  it('takes no static plugin where nothing keeps placeholders up to date', () => {
    const plugin = manifest({
      pluginType: 'static',
      entryPoint: { type: 'module', file: 'a.mjs' },
      communication: { protocol: 'direct' },
      capabilities: { invocationCommands: [] },
    });
    expect(unservedReason(plugin, { wasm: true, noPlaceholders: 'nobody asks' })).toContain('and nobody asks');
    expect(unservedReason(plugin, { wasm: true })).toBeNull();
  });
});
