import { describe, expect, it } from 'vitest';
import { compilePlugin } from '../../../src/registry/compile-plugin.ts';
import type { PluginDefinition } from '../../../src/registry/plugin-definition.ts';
import { createToolRegistry } from '../../../src/registry/tool-registry.ts';
import { describeTool } from '../../../src/registry/describe-tool.ts';
import { manifest } from '../../support/sample-values.ts';

const found = (content: unknown, location = 'a') => ({
  text: typeof content === 'string' ? content : JSON.stringify(content),
  directory: null,
  location,
});
const faults = (content: unknown): string[] => {
  const compiled = compilePlugin(found(content));
  return compiled.ok ? [] : compiled.refused.issues.map((issue) => issue.pointer);
};
const COMMANDS = '/capabilities/invocationCommands';

describe('a plugin', () => {
  it('is compiled from its manifest, a byte-order mark included', () => {
    const compiled = compilePlugin(found(`\uFEFF${JSON.stringify(manifest())}`));
    expect(compiled.ok && [...compiled.definition.commands.keys()]).toEqual(['Run']);
  });

  it.each<[string, unknown, string[]]>([
    ['text that is no JSON', '{', ['']],
    ['a list', [], ['']],
    ['a __proto__', '{"__proto__":{}}', ['/__proto__']],
    ['a field that is wrong', manifest({ version: 'one' }), ['/version']],
    ['a bad input schema', manifest({}, { inputSchema: { type: 'x' } }), [`${COMMANDS}/0/inputSchema/type`]],
    ['a bad output schema', manifest({}, { outputSchema: { items: 3 } }), [`${COMMANDS}/0/outputSchema/items`]],
    [
      'both',
      manifest({}, { inputSchema: { type: 'x' }, outputSchema: { type: 'y' } }),
      [`${COMMANDS}/0/inputSchema/type`, `${COMMANDS}/0/outputSchema/type`],
    ],
    [
      'a schema that is elsewhere',
      manifest({}, { inputSchema: { $ref: 'https://example.com/x' } }),
      [`${COMMANDS}/0/inputSchema/$ref`],
    ],
    ['a bad configuration schema', manifest({ configSchema: { type: 'x' } }), ['/configSchema/type']],
    [
      'a pattern that can stall the host',
      manifest({}, { inputSchema: { properties: { a: { pattern: '(a+)+$' } } } }),
      [`${COMMANDS}/0/inputSchema/properties/a/pattern`],
    ],
    [
      'a long-lived module',
      manifest({
        entryPoint: { type: 'module', file: 'a.mjs' },
        communication: { protocol: 'direct', mode: 'worker' },
      }),
      ['/communication/mode'],
    ],
    [
      'several processes that each serve one call',
      manifest({ entryPoint: { type: 'command', command: 'sh' }, communication: { protocol: 'stdio', processes: 2 } }),
      ['/communication/processes'],
    ],
    [
      'a guest of a remote node',
      manifest({ entryPoint: { type: 'wasm', file: 'a.wasm' }, communication: { protocol: 'distributed' } }),
      ['/communication/protocol'],
    ],
    [
      'a guest that speaks stdio',
      manifest({ entryPoint: { type: 'wasm', file: 'a.wasm' }, communication: { protocol: 'stdio' } }),
      ['/entryPoint/type'],
    ],
    [
      'a grant of configuration that it does not have',
      manifest({
        configSchema: { type: 'object', properties: { CITY: { type: 'string' } } },
        permissions: { config: ['CITY', 'TOWN', 'toString'] },
      }),
      ['/permissions/config/1', '/permissions/config/2'],
    ],
    [
      'a grant of configuration without any',
      manifest({ permissions: { config: ['CITY'] } }),
      ['/permissions/config/0'],
    ],
    ['stdio without a command', manifest({ communication: { protocol: 'stdio' } }), ['/entryPoint/type']],
    ['direct with a command', manifest({ entryPoint: { type: 'command', command: 'node' } }), ['/entryPoint/type']],
    ['nothing to call', manifest({ capabilities: {} }), [COMMANDS]],
  ])('is refused for %s', (_, content, pointers) => {
    expect(faults(content)).toEqual(pointers);
  });

  it('is refused when two commands have one name', () => {
    const [command] = (manifest()['capabilities'] as { invocationCommands: object[] }).invocationCommands;
    expect(faults(manifest({ capabilities: { invocationCommands: [command, command] } }))).toEqual([
      `${COMMANDS}/1/commandIdentifier`,
    ]);
  });

  it('is refused when one of several commands cannot be named', () => {
    const schema = { type: 'object', properties: { n: {} }, additionalProperties: false };
    const named = (commandIdentifier: string, inputSchema: object) => ({
      commandIdentifier,
      description: 'd',
      inputSchema,
      outputSchema: true,
    });
    const open = named('Open', {});
    expect(faults(manifest({ capabilities: { invocationCommands: [open, named('Closed', schema)] } }))).toEqual([
      `${COMMANDS}/1/inputSchema`,
    ]);
    expect(faults(manifest({ capabilities: { invocationCommands: [named('Closed', schema)] } }))).toEqual([]);
  });

  it('is refused for an example that its own schema refuses', () => {
    const command = {
      commandIdentifier: 'Run',
      description: 'd',
      inputSchema: { type: 'object', required: ['n'] },
      outputSchema: true,
      examples: [{ arguments: { n: 1 } }, { arguments: {} }],
    };
    expect(faults(manifest({ capabilities: { invocationCommands: [command] } }))).toEqual([
      `${COMMANDS}/0/examples/1/arguments/n`,
    ]);
  });

  it('says who it is and where it lies when it is refused', () => {
    const compiled = compilePlugin(found(manifest({ version: 'one' }), 'plugins/sample'));
    expect(compiled.ok ? null : compiled.refused).toMatchObject({
      name: 'Sample',
      location: 'plugins/sample',
      reason: 'the manifest is not valid: /version: must be a semantic version, such as "1.0.0"',
    });
  });

  it('knows which error codes of its own it declared', () => {
    const codesOf = (errorCodes?: string[]) => {
      const compiled = compilePlugin(found(manifest({}, errorCodes === undefined ? {} : { errorCodes })));
      return compiled.ok ? compiled.definition.commands.get('Run')?.declaredErrorCodes : undefined;
    };
    expect(codesOf()).toBeNull();
    expect(codesOf(['INVALID_ARGUMENT', 'SAMPLE.BUSY'])).toEqual(new Set(['SAMPLE.BUSY']));
  });
});

describe('a registry', () => {
  it('refuses a bad plugin alone', () => {
    const registry = createToolRegistry([
      found(manifest({ name: 'B' })),
      found('{', 'broken'),
      found(manifest({ name: 'A' })),
    ]);
    expect(registry.list().map((plugin) => plugin.manifest.name)).toEqual(['A', 'B']);
    expect(registry.refused().map((refused) => [refused.name, refused.location])).toEqual([[null, 'broken']]);
  });

  it('gives a name to the first who takes it', () => {
    const registry = createToolRegistry([
      found(manifest({ version: '1.0.0' }), 'first'),
      found(manifest({ version: '2.0.0' }), 'second'),
    ]);
    expect(registry.get('Sample')?.manifest.version).toBe('1.0.0');
    expect(registry.refused()).toEqual([
      { name: 'Sample', location: 'second', reason: 'the name "Sample" is taken by the plugin in first', issues: [] },
    ]);
  });

  it.each(['../keys', 'a/b', '', 'x'.repeat(65)])('has no name when it calls itself "%s"', (name) => {
    const compiled = compilePlugin(found(manifest({ name })));
    expect(compiled).toMatchObject({
      ok: false,
      refused: {
        name: null,
        reason: expect.stringContaining(`the manifest of ${JSON.stringify(name.slice(0, 64))} is not valid: /name`),
      },
    });
  });

  it('does not let a refused plugin keep a name', () => {
    const registry = createToolRegistry(
      [found(manifest({ version: '1.0.0' }), 'first'), found(manifest({ version: '2.0.0' }), 'second')],
      (plugin) => (plugin.manifest.version === '1.0.0' ? 'too old' : null),
    );
    expect(registry.get('Sample')?.manifest.version).toBe('2.0.0');
    expect(registry.refused().map((refused) => refused.reason)).toEqual(['too old']);
  });

  it('keeps disabled tools, and finds nothing under inherited names', () => {
    const registry = createToolRegistry([found(manifest({ enabled: false }))]);
    expect([registry.get('Sample')?.manifest.enabled, registry.get('constructor'), registry.get('__proto__')]).toEqual([
      false,
      null,
      null,
    ]);
  });

  it('keeps what is not called apart from the tools', () => {
    const placeholders = { systemPromptPlaceholders: [{ placeholder: '{{Sky}}' }] };
    const registry = createToolRegistry([
      found(manifest({ name: 'Tool' })),
      found(manifest({ name: 'Sky', pluginType: 'static', capabilities: placeholders })),
      found(manifest({ name: 'Guard', pluginType: 'messagePreprocessor', capabilities: {} })),
      found(manifest({ name: 'Watch', pluginType: 'service', capabilities: {} })),
    ]);
    const namesOf = (plugins: readonly PluginDefinition[]) => plugins.map((plugin) => plugin.manifest.name);
    expect(registry.refused()).toEqual([]);
    expect(namesOf(registry.list())).toEqual(['Tool']);
    expect([registry.get('Sky'), registry.get('Guard')]).toEqual([null, null]);
    const statics = registry.only(new Set(['static']));
    expect(namesOf(statics.list())).toEqual(['Sky']);
    expect([...(statics.get('Sky')?.commands.keys() ?? [])]).toEqual(['Refresh']);
    const preprocessors = registry.only(new Set(['messagePreprocessor']));
    expect([...(preprocessors.get('Guard')?.commands.keys() ?? [])]).toEqual(['ProcessMessages']);
  });

  it('tells of each state that takes the place of another', () => {
    const registry = createToolRegistry([]);
    let told = 0;
    const stop = registry.onReplaced(() => {
      told += 1;
    });
    registry.replace(registry.current());
    stop();
    registry.replace(registry.current());
    expect(told).toBe(1);
  });
});

describe('a plugin that the server asks by itself', () => {
  const placeholder = (name: string) => ({ systemPromptPlaceholders: [{ placeholder: name }] });
  const issuesOf = (fields: Record<string, unknown>) => {
    const [refused] = createToolRegistry([found(manifest(fields))]).refused();
    return refused?.issues.map(({ pointer, message }) => `${pointer} ${message}`);
  };
  const OWN = /^\/capabilities\/systemPromptPlaceholders\/0\/placeholder must be {{Name}}/;

  it.each(['{{VCPWeather}}', 'VCPWeather', '{{天气}}', '{{Host-Facts.1}}'])('may have the placeholder %s', (name) => {
    expect(issuesOf({ pluginType: 'static', capabilities: placeholder(name) })).toBeUndefined();
  });

  it.each([
    '{{Date}}',
    'VCPAllTools',
    '{{VarUser}}',
    '{{SarPrompt1}}',
    '{{a b}}',
    '{{}}',
    '{{agent:Nova}}',
    '{{{{x}}}}',
  ])('may not have the placeholder %s', (name) => {
    expect(issuesOf({ pluginType: 'static', capabilities: placeholder(name) })).toEqual([expect.stringMatching(OWN)]);
  });

  it.each(['*/5 * * * *', '0 0 * * * *', '@hourly'])('may be refreshed at %s', (refreshCron) => {
    expect(issuesOf({ pluginType: 'static', capabilities: placeholder('Sky'), refreshCron })).toBeUndefined();
  });

  it.each(['often', '61 * * * *', '* * *', '0 0 31 2 *'])('may not be refreshed at %s', (refreshCron) => {
    expect(issuesOf({ pluginType: 'static', capabilities: placeholder('Sky'), refreshCron })).toEqual([
      expect.stringMatching(/^\/refreshCron is no cron pattern: /),
    ]);
  });

  it('has placeholders if it is static, and none otherwise', () => {
    expect(issuesOf({ pluginType: 'static', capabilities: {} })).toEqual([
      expect.stringMatching(/^\/capabilities\/systemPromptPlaceholders must name at least one placeholder/),
    ]);
    const twice = { systemPromptPlaceholders: [{ placeholder: 'Sky' }, { placeholder: '{{Sky}}' }] };
    expect(issuesOf({ pluginType: 'static', capabilities: twice })).toEqual([
      '/capabilities/systemPromptPlaceholders/1/placeholder is named twice',
    ]);
  });

  it('has a command that needs no arguments, or none', () => {
    const command = { commandIdentifier: 'Run', description: 'd', inputSchema: true, outputSchema: true };
    const needy = { ...command, inputSchema: { type: 'object', required: ['city'] } };
    const withCommands = (...invocationCommands: unknown[]) => ({ ...placeholder('Sky'), invocationCommands });
    expect(issuesOf({ pluginType: 'static', capabilities: withCommands(command) })).toBeUndefined();
    expect(issuesOf({ pluginType: 'static', capabilities: withCommands(needy) })).toEqual([
      expect.stringMatching(/^\/capabilities\/invocationCommands\/0\/inputSchema must take an empty object/),
    ]);
    expect(issuesOf({ pluginType: 'messagePreprocessor', capabilities: { invocationCommands: [command] } })).toEqual([
      '/capabilities/invocationCommands must be empty for a message preprocessor',
    ]);
  });
});

describe('a description', () => {
  it('tells how a tool is called and nothing of how it runs', () => {
    const plugin = createToolRegistry([found(manifest({ permissions: { log: true } }))]).get('Sample');
    const description = plugin === null ? {} : describeTool(plugin);
    expect(Object.keys(description).toSorted()).toEqual([
      'commandField',
      'commands',
      'description',
      'displayName',
      'enabled',
      'name',
      'permissions',
      'pluginType',
      'protocol',
      'timeoutMs',
      'version',
    ]);
    expect(JSON.stringify(description)).not.toContain('main.mjs');
  });

  it('tells what a guest of the sandbox may do, and of others that they are not in it', () => {
    const permissionsOf = (fields: Record<string, unknown>) => {
      const plugin = createToolRegistry([found(manifest(fields))]).get('Sample');
      return plugin === null ? undefined : describeTool(plugin).permissions;
    };
    const entryPoint = { type: 'wasm', file: 'a.wasm' };
    expect(permissionsOf({})).toBeNull();
    expect(permissionsOf({ entryPoint })).toEqual({});
    expect(permissionsOf({ entryPoint, permissions: { http: { allow: [{ host: 'a.example' }] } } })).toEqual({
      http: { allow: [{ scheme: 'https', host: 'a.example', methods: ['GET', 'HEAD'] }] },
    });
  });
});
