import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryCallStore } from '../../../adapters/memory/memory-call-store.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../src/lib/limits.ts';
import { sleep } from '../../../src/lib/sleep.ts';
import type { PluginDefinition } from '../../../src/registry/plugin-definition.ts';
import { createBuiltInTools } from '../../../src/runtime/built-in/built-in-tools.ts';
import { resultReader } from '../../../src/runtime/built-in/result-reader.ts';
import { createServiceHost, type ServiceHost } from '../../../src/runtime/services/service-host.ts';
import type { ServiceContext, ServiceModule } from '../../../src/runtime/services/service-module.ts';
import { createToolRegistry } from '../../../src/registry/tool-registry.ts';
import { createTestHub, everyone, listen, message, ofAlice } from '../../support/event-hub.ts';
import { manifest } from '../../support/sample-values.ts';

const serviceManifest = (name = 'Watcher', more: object = {}) =>
  manifest({
    name,
    pluginType: 'service',
    entryPoint: { type: 'module', file: 'main.mjs' },
    communication: { protocol: 'direct' },
    capabilities: {},
    ...more,
  });

const definitionOf = (content: Record<string, unknown>): PluginDefinition => {
  const registry = createToolRegistry([{ text: JSON.stringify(content), directory: '/x', location: 'x' }]);
  expect(registry.refused()).toEqual([]);
  return registry.current().entries[0]!.version!.definition;
};

let host: ServiceHost;
afterEach(() => host.close());

const open = (limits: Partial<Limits> = {}) => {
  const test = createTestHub();
  const modules = new Map<PluginDefinition, Partial<ServiceModule>>();
  const lines: string[] = [];
  const line = (event: string, fields: object = {}) => void lines.push(`${event} ${JSON.stringify(fields)}`);
  const logger = { debug: line, info: line, warn: line, error: line };
  host = createServiceHost({
    hub: test.hub,
    clock: { monotonic: () => test.time },
    limits: { ...DEFAULT_LIMITS, ...limits },
    logger,
    quietLogger: logger,
    loader: { load: async (plugin) => modules.get(plugin as PluginDefinition) ?? {} },
    configurationOf: () => ({ COLOUR: 'red' }),
    dataDirectoryOf: async () => '/data/Watcher',
  });
  const plugin = (module: Partial<ServiceModule>, content = serviceManifest()) => {
    const definition = definitionOf(content);
    modules.set(definition, module);
    return definition;
  };
  const has = (event: string) => () => lines.some((text) => text.startsWith(event));
  return { ...test, test, lines, plugin, has };
};

/** Waits for what a host does by itself. */
const until = (condition: () => boolean) => expect.poll(condition).toBe(true);

/** A running service, and what it was given. */
const running = async (limits: Partial<Limits> = {}) => {
  const parts = open(limits);
  let context: ServiceContext | undefined;
  host.follow([parts.plugin({ initialize: (given) => void (context = given) })]);
  await until(parts.has('service.started'));
  return { ...parts, context: context! };
};

describe('a service', () => {
  it('is no tool', () => {
    open();
    const registry = createToolRegistry([{ text: JSON.stringify(serviceManifest()), directory: '/x', location: 'x' }]);
    expect([registry.get('Watcher'), registry.list(), registry.refused()]).toEqual([null, [], []]);
  });

  it.each([
    [
      'in a process of its own',
      { entryPoint: { type: 'command', command: 'node' }, communication: { protocol: 'stdio' } },
    ],
    ['in the sandbox', { entryPoint: { type: 'wasm', file: 'a.wasm' } }],
    ['with commands', { capabilities: manifest()['capabilities'] }],
  ])('is refused %s', (_, more) => {
    open();
    const text = JSON.stringify(serviceManifest('Watcher', more));
    expect(createToolRegistry([{ text, directory: '/x', location: 'x' }]).refused()).toHaveLength(1);
  });

  it('is started with its configuration, and ended', async () => {
    const { plugin, has, lines } = open();
    const said: unknown[] = [];
    const definition = plugin({
      initialize: ({ config, dataDirectory, signal }) => {
        said.push(config, dataDirectory, signal.aborted);
        signal.addEventListener('abort', () => void said.push('aborted'));
      },
      shutdown: () => void said.push('shutdown'),
    });
    host.follow([definition]);
    await until(has('service.started'));
    host.follow([definition]);
    host.follow([]);
    await until(has('service.stopped'));
    expect(said).toEqual([{ COLOUR: 'red' }, '/data/Watcher', false, 'aborted', 'shutdown']);
    expect(lines).toHaveLength(2);
  });

  it('is replaced by its next version when it has ended', async () => {
    const { plugin, has } = open();
    const said: string[] = [];
    const version = (number: number) =>
      plugin({
        initialize: () => void said.push(`start ${number}`),
        shutdown: async () => {
          await sleep(30, new AbortController().signal);
          said.push(`end ${number}`);
        },
      });
    host.follow([version(1)]);
    await until(() => said.includes('start 1'));
    host.follow([version(2)]);
    await until(() => said.includes('start 2'));
    expect(said).toEqual(['start 1', 'end 1', 'start 2']);
    expect(has('service.fault')()).toBe(false);
  });

  it('that is switched off does not run', async () => {
    const { plugin, has } = open();
    const definition = plugin({ initialize: () => undefined });
    host.follow([{ ...definition, enabled: false }]);
    await host.close();
    expect(has('service.started')()).toBe(false);
  });

  it('may be a part of a plugin that is called', async () => {
    const { plugin, has } = open();
    const hybrid = manifest({
      name: 'Both',
      pluginType: 'hybridservice',
      entryPoint: { type: 'module', file: 'main.mjs' },
      communication: { protocol: 'direct' },
    });
    host.follow([plugin({ initialize: () => undefined }, hybrid)]);
    await until(has('service.started'));
  });

  it('is no tool of the runtime’s own, which has no module to load', async () => {
    const { lines, plugin, has } = open();
    const own = createBuiltInTools([resultReader({ calls: createMemoryCallStore(), knownPaths: [] })]);
    const found = await own.before({ read: async () => [], mayStay: () => true }).read();
    const definitions = found.flatMap((candidate) => (candidate.ok ? [candidate.definition] : []));
    expect(definitions).toHaveLength(1);
    host.follow([...definitions, plugin({ initialize: () => undefined })]);
    await until(has('service.started'));
    await host.close();
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['service.started', 'service.stopped']);
  });

  it('that fails does no harm to the others', async () => {
    const { plugin, has, lines } = open();
    const broken = plugin(
      {
        initialize: () => {
          throw new Error('no port');
        },
      },
      serviceManifest('Broken'),
    );
    host.follow([broken, plugin({ initialize: () => undefined })]);
    await until(has('service.started'));
    await until(has('service.not-started'));
    expect(lines.find((line) => line.startsWith('service.not-started'))).toMatch(/Broken.*no port/);
  });

  it('that starts for ever does not hold up the end', async () => {
    const { plugin, lines } = open({ serviceStartMs: 60_000 });
    const begun = Promise.withResolvers<void>();
    const ended: string[] = [];
    const initialize = () => {
      begun.resolve();
      return new Promise<never>(() => undefined);
    };
    host.follow([plugin({ initialize, shutdown: () => void ended.push('shutdown') })]);
    await begun.promise;
    await host.close();
    expect(ended).toEqual(['shutdown']);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['service.stopped']);
  });

  it('that does not end its start or its end is not waited for', async () => {
    const { plugin, lines } = open({ serviceStartMs: 20, serviceStopMs: 20 });
    const never = () => new Promise<never>(() => undefined);
    host.follow([plugin({ initialize: never, shutdown: never })]);
    await until(() => lines.length === 1);
    host.follow([]);
    await host.close();
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['service.not-started', 'service.not-stopped']);
  });
});

describe('what a service pushes', () => {
  it('goes to the keys that may use it', async () => {
    const { hub, context } = await running();
    const alice = listen(hub);
    const bob = listen(hub, { viewer: { mayUseTool: () => false } });
    expect(context.push('ready', { n: 1 })).toBe(true);
    expect(alice.events).toMatchObject([
      { type: 'plugin_message', toolName: 'Watcher', data: { plugin: 'Watcher', name: 'ready', message: { n: 1 } } },
    ]);
    expect(bob.events).toEqual([]);
  });

  it('goes to one type of clients where it says so', async () => {
    const { hub, context } = await running();
    const panel = listen(hub, { viewer: { clientType: 'panel' } });
    const phone = listen(hub, { viewer: { clientType: 'phone' } });
    context.push('n', {}, { clientType: 'panel' });
    expect([panel.events.length, phone.events.length]).toEqual([1, 0]);
  });

  it('is not trusted: what is wrong, too large or too much is dropped and told once', async () => {
    const { hub, context, lines, test } = await running({ eventBytes: 100, pluginPushesPerSecond: 5 });
    const alice = listen(hub);
    const cycle: Record<string, unknown> = {};
    cycle['cycle'] = cycle;
    const wrong = [
      context.push('', {}),
      context.push('n', [] as never),
      context.push('n', cycle as never),
      context.push('n', { text: 'x'.repeat(100) }),
      context.push('n', {}, { clientType: 'a b' }),
    ];
    expect(wrong).toEqual([false, false, false, false, false]);
    test.time += 1_000;
    const many = Array.from({ length: 8 }, () => context.push('n', {}));
    expect(many.filter(Boolean)).toHaveLength(5);
    expect(alice.events).toHaveLength(5);
    expect(lines.filter((line) => line.startsWith('service.not-pushed'))).toHaveLength(6);
  });

  it('may be wrong all the time, and in every way, without an exception or a full log', async () => {
    const { context, lines } = await running({ pluginPushesPerSecond: 10_000 });
    const unreadable = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('not today');
        },
      },
    );
    expect(context.push('n', unreadable)).toBe(false);
    expect(lines.at(-1)).toContain('not today');
    expect(context.push('n', {}, null as never)).toBe(true);
    for (let turn = 0; turn < 200; turn += 1) {
      context.push('', {});
      context.push('n', {});
    }
    expect(lines.filter((line) => line.startsWith('service.not-pushed'))).toHaveLength(20);
  });

  it('is nothing any more after its end', async () => {
    const { hub, context } = await running();
    const alice = listen(hub);
    host.follow([]);
    expect(context.push('late', {})).toBe(false);
    expect(alice.events).toEqual([]);
  });

  it('is redacted like the words of every plugin', async () => {
    const { hub, context } = await running();
    const alice = listen(hub);
    context.push('n', { token: 'sk-abcdefghijklmnopqrstuvwx' });
    expect(alice.events).toMatchObject([{ data: { message: { token: '[redacted: secret]' } } }]);
  });
});

describe('what a service hears', () => {
  it('is every event that its filter lets through, but for its own', async () => {
    const { hub, context } = await running();
    const heard: unknown[] = [];
    context.onEvent({ types: ['plugin_message'] }, (event) => void heard.push(event.toolName));
    hub.emit(message({}, 'A'), ofAlice);
    hub.emit(message({}, 'B'), { ...everyone, clientType: 'panel' });
    context.push('own', {});
    hub.emit({ type: 'vcp_info', stage: null, progress: null, message: null }, everyone);
    await until(() => heard.length === 2);
    expect(heard).toEqual(['A', 'B']);
  });

  it('is heard by a handler that may fail, change what it is given, and leave', async () => {
    const { hub, context, has, emit } = await running();
    const alice = listen(hub);
    const heard: number[] = [];
    const end = context.onEvent({}, (event) => {
      heard.push(1);
      (event as { toolName: string }).toolName = 'changed';
      throw new Error('handler');
    });
    emit(1);
    await until(has('service.handler-failed'));
    const again = listen(hub, { lastEventId: alice.events[0]!.id.replace(/.$/, '0') });
    expect(again.events.every(({ toolName }) => toolName === 'Sample')).toBe(true);
    end();
    emit(2);
    await sleep(20, new AbortController().signal);
    expect(heard).toEqual([1]);
  });

  it('fills no log when its handler fails at each', async () => {
    const { context, lines, emit } = await running();
    let heard = 0;
    context.onEvent({ types: ['plugin_message'] }, () => {
      heard += 1;
      throw new Error('handler');
    });
    for (let number = 1; number <= 200; number += 1) emit(number);
    await until(() => heard === 200);
    await sleep(10, new AbortController().signal);
    expect(lines.filter((line) => line.startsWith('service.handler-failed'))).toHaveLength(20);
  });

  it('comes whole, however much there is at once', async () => {
    const { context, emit } = await running({ pushQueueEvents: 10 });
    const heard: number[] = [];
    context.onEvent({ types: ['plugin_message'] }, (event) => {
      if (event.type === 'plugin_message') heard.push(Number(event.data.message['number']));
    });
    for (let number = 1; number <= 500; number += 1) emit(number);
    await until(() => heard.length === 500);
    expect(heard).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
  });
});
