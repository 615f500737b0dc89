import { describe, expect, it } from 'vitest';
import type { LogFields } from '../../../src/ports/logger.ts';
import type { PluginSwitches } from '../../../src/ports/plugin-switches.ts';
import type { PluginLocation, TransportAdapter } from '../../../src/ports/transport.ts';
import { compilePlugin } from '../../../src/registry/compile-plugin.ts';
import { candidateOf, type PluginCandidate } from '../../../src/registry/plugin-candidate.ts';
import { createLiveRegistry } from '../../../src/registry/tool-registry.ts';
import { createPluginService, type PluginSource } from '../../../src/runtime/plugin-service.ts';
import { createMemorySwitches } from '../../support/plugin-service.ts';
import { manifest } from '../../support/sample-values.ts';

const found = (name: string, version = '1.0.0'): PluginCandidate => {
  const text = JSON.stringify(manifest({ name, version }));
  return candidateOf(name, text, compilePlugin({ text, directory: null, location: name }), () => null);
};

const open = (read: PluginSource['read'], switches: PluginSwitches = createMemorySwitches()) => {
  const registry = createLiveRegistry();
  const logged: [string, LogFields][] = [];
  const log = (event: string, fields: LogFields = {}) => void logged.push([event, fields]);
  const retired: PluginLocation[] = [];
  const transport = (): TransportAdapter => ({
    execute: () => Promise.reject(new Error('nothing is called here')),
    retire: (plugin) => void retired.push(plugin),
  });
  const service = createPluginService({
    registry,
    source: { read, mayStay: () => true },
    switches,
    transports: { stdio: transport(), direct: transport() },
    clock: { now: () => 0, monotonic: () => 0 },
    logger: { debug: log, info: log, warn: log, error: log },
  });
  return { registry, service, logged, retired };
};

describe('a reload', () => {
  it('publishes the whole, and tells every transport what gets no more calls', async () => {
    let version = '1.0.0';
    const { registry, service, retired, logged } = open(async () => [found('A', version), found('B')]);
    await service.reload();
    const old = registry.get('A');
    version = '2.0.0';
    expect((await service.reload()).changes).toMatchObject([
      { change: 'reloaded', name: 'A', version: '2.0.0', previousVersion: '1.0.0' },
    ]);
    expect(registry.get('A')?.manifest.version).toBe('2.0.0');
    expect(retired).toEqual([old, old]);
    expect(logged.map(([event, { toolName }]) => [event, toolName])).toEqual([
      ['plugin.loaded', 'A'],
      ['plugin.loaded', 'B'],
      ['plugin.reloaded', 'A'],
    ]);
  });

  it('that is wanted while one runs sees what came meanwhile; many such share one', async () => {
    let reads = 0;
    const gates: (() => void)[] = [];
    const { service } = open(async () => {
      reads += 1;
      await new Promise<void>((resolve) => gates.push(resolve));
      return [];
    });
    const first = service.reload();
    const later = [service.reload(), service.reload(), service.reload()];
    gates[0]?.();
    await first;
    while (gates.length < 2) await new Promise((resolve) => setTimeout(resolve, 0));
    gates[1]?.();
    await Promise.all(later);
    expect(reads).toBe(2);
    expect(later[0]).toBe(later[2]);
  });

  it('refuses a plugin alone whose judging fails', async () => {
    const text = JSON.stringify(manifest({ name: 'B' }));
    const compiled = compilePlugin({ text, directory: null, location: 'b' });
    const failing = () => {
      throw new Error('EIO');
    };
    const { registry, service } = open(async () => [found('A'), candidateOf('b', text, compiled, failing)]);
    await service.reload();
    expect(registry.list().map((plugin) => plugin.manifest.name)).toEqual(['A']);
    expect(registry.refused()).toMatchObject([
      { name: 'B', reason: 'whether it can be served was not found out: EIO' },
    ]);
  });

  it('that fails leaves everything as it is, and the next one is tried', async () => {
    let fault: Error | null = null;
    const { registry, service } = open(async () => {
      if (fault !== null) throw fault;
      return [found('A')];
    });
    await service.reload();
    fault = new Error('the disk is gone');
    await expect(service.reload()).rejects.toThrow('the disk is gone');
    expect(registry.get('A')).not.toBeNull();
    fault = null;
    expect((await service.reload()).changes).toEqual([]);
  });
});

describe('switching a plugin', () => {
  it('has effect at once and outlives the service', async () => {
    const switches = createMemorySwitches();
    const { registry, service, retired } = open(async () => [found('A')], switches);
    expect(await service.setEnabled('A', false, 'me')).toMatchObject({ state: 'disabled', switchedBy: 'operator' });
    expect(registry.get('A')?.enabled).toBe(false);
    expect(retired).toHaveLength(2);
    const next = open(async () => [found('A')], switches);
    await next.service.reload();
    expect(next.registry.get('A')?.enabled).toBe(false);
    expect(await next.service.setEnabled('A', null, 'me')).toMatchObject({ state: 'serving', switchedBy: 'manifest' });
  });

  it('is not undone by a look that began before it', async () => {
    let release: () => void = () => undefined;
    let isSlow = false;
    const { registry, service } = open(async () => {
      if (isSlow) await new Promise<void>((resolve) => (release = resolve));
      return [found('A')];
    });
    await service.reload();
    isSlow = true;
    const look = service.reload();
    await service.setEnabled('A', false, 'me');
    release();
    await look;
    expect(registry.get('A')?.enabled).toBe(false);
  });

  it('knows only plugins that were found', async () => {
    const { service } = open(async () => [found('A')]);
    expect(await service.setEnabled('B', false, 'me')).toBeNull();
  });

  it('never takes the name of a refused plugin for more than a name', async () => {
    const said: string[] = [];
    const switches: PluginSwitches = { read: async () => new Map(), set: async (name) => void said.push(name) };
    const name = '../keys';
    const refused = { name, location: 'a', reason: 'it is not valid', issues: [] };
    const { service } = open(async () => [{ ok: false, location: 'a', revision: '', refused }], switches);
    await service.reload();
    expect(await service.setEnabled(name, null, 'me')).toBeNull();
    expect(said).toEqual([]);
  });

  it('serves nothing while nobody can tell which plugins are off', async () => {
    const words = createMemorySwitches();
    let isBroken = true;
    const read = () => (isBroken ? Promise.reject(new Error('EIO')) : words.read());
    const { registry, service } = open(async () => [found('A')], { ...words, read });
    await expect(service.reload()).rejects.toThrow('which plugins are switched off cannot be read (EIO)');
    expect(registry.list()).toEqual([]);
    isBroken = false;
    await service.reload();
    expect(registry.list()).toHaveLength(1);
  });

  it('has effect also when the store can be written and not be read again', async () => {
    let isBroken = false;
    const words = createMemorySwitches();
    const read = () => (isBroken ? Promise.reject(new Error('EIO')) : words.read());
    const { registry, service } = open(async () => [found('A')], { ...words, read });
    await service.reload();
    isBroken = true;
    expect(await service.setEnabled('A', false, 'me')).toMatchObject({ state: 'disabled' });
    expect(registry.get('A')?.enabled).toBe(false);
  });

  it('holds on to what was said when the store cannot be read', async () => {
    const words = createMemorySwitches();
    let isBroken = false;
    const read = () => (isBroken ? Promise.reject(new Error('EIO')) : words.read());
    const { registry, service, logged } = open(async () => [found('A')], { ...words, read });
    await service.setEnabled('A', false, 'me');
    isBroken = true;
    await service.reload();
    expect(registry.get('A')?.enabled).toBe(false);
    expect(logged.map(([event]) => event)).toContain('plugins.switches-unreadable');
  });
});
