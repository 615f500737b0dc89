import { describe, expect, it } from 'vitest';
import { compilePlugin } from '../../../src/registry/compile-plugin.ts';
import { unservedReason } from '../../../src/registry/unserved-reason.ts';
import { manifest } from '../../support/sample-values.ts';

const reasonOf = (fields: Record<string, unknown>): string | null => {
  const compiled = compilePlugin({ text: JSON.stringify(manifest(fields)), directory: null, location: 'here' });
  if (!compiled.ok) throw new Error(compiled.refused.reason);
  return unservedReason(compiled.definition.manifest, { wasm: true });
};
const process = {
  entryPoint: { type: 'command', command: 'node', args: [] },
  communication: { protocol: 'stdio' },
};
const configSchema = { type: 'object', properties: { CITY: { type: 'string' } } };

describe('a manifest that asks for what this version does not do', () => {
  it.each<[string, Record<string, unknown>, string]>([
    [
      'configuration inside the server',
      { configSchema },
      'configSchema is not served by this version for a module inside the server, unless it is a service',
    ],
  ])('%s is refused', (_, fields, reason) => {
    expect(reasonOf(fields)).toBe(reason);
  });

  it('but a process of its own, and a guest of the sandbox, may have configuration', () => {
    expect(reasonOf({ ...process, configSchema })).toBeNull();
    expect(reasonOf({ entryPoint: { type: 'wasm', file: 'a.wasm' }, configSchema })).toBeNull();
  });
});
