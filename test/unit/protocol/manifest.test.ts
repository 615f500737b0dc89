import { describe, expect, it } from 'vitest';
import { PluginManifest } from '../../../src/protocol/manifest.ts';
import { issuesOf } from '../../../src/lib/issue.ts';
import { manifest } from '../../support/sample-values.ts';

const pointersOf = (value: unknown): string[] => {
  const parsed = PluginManifest.safeParse(value);
  return parsed.success ? [] : issuesOf(parsed.error).map((issue) => issue.pointer);
};

const COMMAND = '/capabilities/invocationCommands/0';

describe('a manifest', () => {
  it('fills in what it leaves open', () => {
    const parsed = PluginManifest.parse(manifest());
    expect(parsed.communication).toEqual({ protocol: 'direct', mode: 'oneshot', processes: 1, standby: false });
    expect(parsed.commandField).toBe('command');
    expect(parsed.enabled).toBe(true);
    const [command] = parsed.capabilities.invocationCommands;
    expect(command).toMatchObject({ idempotent: false, approval: false, async: false, mirror: false });
  });

  it.each<[string, Record<string, unknown>]>([
    ['a CJK name', { name: '日程管理器' }],
    ['a pre-release version', { version: '1.0.0-rc.1' }],
    [
      'a process',
      { entryPoint: { type: 'command', command: 'python3', args: ['main.py'] }, communication: { protocol: 'stdio' } },
    ],
    [
      'a sandboxed guest',
      { entryPoint: { type: 'wasm', file: 'plugin.wasm' }, limits: { memoryPages: 16, fuel: 1_000_000 } },
    ],
    ['no commands', { pluginType: 'static', capabilities: {}, refreshCron: '*/5 * * * *' }],
    ['placeholders', { capabilities: { systemPromptPlaceholders: [{ placeholder: '{{Weather}}' }] } }],
    ['a schema reference', { $schema: 'urn:vcp:schema:1.0:plugin-manifest' }],
    ['a configuration', { configSchema: { type: 'object' }, permissions: { log: true } }],
  ])('may have %s', (_, fields) => {
    expect(pointersOf(manifest(fields))).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['another manifest version', { manifestVersion: '2.0' }, '/manifestVersion'],
    ['a name with a space', { name: 'My Tool' }, '/name'],
    ['a name with a slash', { name: '../x' }, '/name'],
    ['an empty display name', { displayName: '' }, '/displayName'],
    ['a version that is no semantic one', { version: '1.0' }, '/version'],
    ['an unknown plugin type', { pluginType: 'sync' }, '/pluginType'],
    [
      'another protocol',
      { toolResultProtocol: { name: 'vcp.tool-result', version: '2.0' } },
      '/toolResultProtocol/version',
    ],
    ['an absolute entry', { entryPoint: { type: 'module', file: '/etc/x.mjs' } }, '/entryPoint/file'],
    ['an entry on a Windows drive', { entryPoint: { type: 'module', file: 'C:\\x.mjs' } }, '/entryPoint/file'],
    ['an entry outside its directory', { entryPoint: { type: 'wasm', file: 'a/../../x.wasm' } }, '/entryPoint/file'],
    ['an entry of unknown type', { entryPoint: { type: 'script', file: 'x' } }, '/entryPoint/type'],
    ['an unknown transport', { communication: { protocol: 'http' } }, '/communication/protocol'],
    ['a time-out of nothing', { communication: { protocol: 'direct', timeoutMs: 0 } }, '/communication/timeoutMs'],
    [
      'a time-out past a day',
      { communication: { protocol: 'direct', timeoutMs: 86_400_001 } },
      '/communication/timeoutMs',
    ],
    ['no place to run in', { communication: { protocol: 'direct', concurrency: 0 } }, '/communication/concurrency'],
    ['an unknown field', { author: 'someone' }, '/author'],
    ['a resource root outside', { resourceRoot: '../other' }, '/resourceRoot'],
    ['a switch that is no boolean', { enabled: 'yes' }, '/enabled'],
    ['a configuration that is no schema', { configSchema: [] }, '/configSchema'],
  ])('is refused for %s', (_, fields, pointer) => {
    expect(pointersOf(manifest(fields))).toContain(pointer);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a name with a space', { commandIdentifier: 'List It' }, '/commandIdentifier'],
    ['no description', { description: '' }, '/description'],
    ['a schema that is text', { inputSchema: 'object' }, '/inputSchema'],
    ['an error code without namespace', { errorCodes: ['MY_ERROR'] }, '/errorCodes/0'],
    ['a field that is no pointer', { resourceOutputs: [{ field: 'image' }] }, '/resourceOutputs/0/field'],
    ['an unknown kind', { resourceOutputs: [{ field: '/image', kind: 'picture' }] }, '/resourceOutputs/0/kind'],
    ['an unknown field', { invokeCommand: true }, '/invokeCommand'],
    ['advice without intent', { aiAdvice: {} }, '/aiAdvice/intent'],
    ['an example without arguments', { examples: [{}] }, '/examples/0/arguments'],
  ])('is refused for a command with %s', (_, command, pointer) => {
    expect(pointersOf(manifest({}, command))).toContain(COMMAND + pointer);
  });

  it.each(['inputSchema', 'outputSchema', 'commandIdentifier', 'description'])(
    'is refused for a command without %s',
    (field) => {
      expect(pointersOf(manifest({}, { [field]: undefined }))).toContain(`${COMMAND}/${field}`);
    },
  );

  it.each([
    'manifestVersion',
    'name',
    'displayName',
    'version',
    'description',
    'pluginType',
    'toolResultProtocol',
    'entryPoint',
    'communication',
    'capabilities',
  ])('is refused without %s', (field) => {
    const { [field]: _, ...without } = manifest();
    expect(pointersOf(without)[0]).toMatch(new RegExp(`^/${field}`));
  });
});
