import { describe, expect, it } from 'vitest';
import { compilePlugin } from '../../../src/registry/compile-plugin.ts';
import type { CommandDefinition, PluginDefinition } from '../../../src/registry/plugin-definition.ts';
import { resolveCommand } from '../../../src/validate/resolve-command.ts';
import { validateArguments } from '../../../src/validate/validate-arguments.ts';
import { validateOutput } from '../../../src/validate/validate-output.ts';
import { manifest } from '../../support/sample-values.ts';

const plugin = (content: Record<string, unknown>): PluginDefinition => {
  const compiled = compilePlugin({ text: JSON.stringify(content), directory: null, location: 'test' });
  if (!compiled.ok) throw new Error(compiled.refused.reason);
  return compiled.definition;
};

const commandWith = (fields: Record<string, unknown>): CommandDefinition =>
  plugin(manifest({}, fields)).commands.get('Run') as CommandDefinition;

const commandOf = (name: string, field = 'command') => ({
  commandIdentifier: name,
  description: 'd',
  inputSchema: { type: 'object', properties: { [field]: { const: name } }, required: [field] },
  outputSchema: true,
});

describe('the command of a call', () => {
  const two = plugin(
    manifest({ capabilities: { invocationCommands: [commandOf('AddSchedule'), commandOf('ListSchedules')] } }),
  );
  const resolve = (definition: PluginDefinition, args: object) => {
    const resolved = resolveCommand(definition, args as never);
    return resolved.ok ? resolved.command.command.commandIdentifier : resolved.failure;
  };

  it('is named by the argument that the manifest says', () => {
    expect(resolve(two, { command: 'ListSchedules' })).toBe('ListSchedules');
    const other = plugin(
      manifest({
        commandField: 'action',
        capabilities: { invocationCommands: [commandOf('A', 'action'), commandOf('B', 'action')] },
      }),
    );
    expect(resolve(other, { action: 'B', command: 'A' })).toBe('B');
  });

  it('is asked for when there are several', () => {
    expect(resolve(two, {})).toEqual({
      code: 'MISSING_ARGUMENT',
      message: 'argument "command" is required: one of AddSchedule, ListSchedules',
      target: 'command',
      details: { pointer: '/command', allowed: ['AddSchedule', 'ListSchedules'] },
    });
  });

  it('is suggested when it is nearly right', () => {
    expect(resolve(two, { command: 'ListSchedule' })).toEqual({
      code: 'UNKNOWN_COMMAND',
      message: 'Sample has no command "ListSchedule"; did you mean "ListSchedules"?',
      target: 'command',
      details: { pointer: '/command', allowed: ['AddSchedule', 'ListSchedules'], suggestion: 'ListSchedules' },
    });
  });

  it.each([5, null, ['ListSchedules'], { a: 1 }, 'constructor', '__proto__', ''])(
    'is unknown when it is %j',
    (command) => {
      expect(resolve(two, { command })).toMatchObject({ code: 'UNKNOWN_COMMAND', target: 'command' });
    },
  );

  it('needs no naming when there is only one', () => {
    expect(resolve(plugin(manifest()), {})).toBe('Run');
  });

  it('is the plugin’s own argument when the only schema says nothing of it', () => {
    expect(
      resolve(plugin(manifest({}, { inputSchema: { properties: { command: { type: 'string' } } } })), {
        command: 'ls',
      }),
    ).toBe('Run');
  });

  it('is checked when the only schema fixes it', () => {
    const one = plugin(manifest({ capabilities: { invocationCommands: [commandOf('Only')] } }));
    expect(resolve(one, { command: 'Other' })).toMatchObject({ code: 'UNKNOWN_COMMAND' });
    expect(resolve(one, {})).toBe('Only');
  });
});

describe('arguments', () => {
  const command = commandWith({
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, count: { type: 'integer', default: 5 }, tags: { default: [] } },
      required: ['name'],
      additionalProperties: false,
    },
  });

  it('get the defaults of their schema, and stay themselves otherwise', () => {
    const given = Object.freeze({ name: 'a' });
    expect(validateArguments(command, given, 16)).toEqual({ ok: true, arguments: { name: 'a', count: 5, tags: [] } });
    const full = { name: 'a', count: 1, tags: [1] };
    const checked = validateArguments(command, full, 16);
    expect(checked.ok && checked.arguments).toBe(full);
  });

  it('that are only absent are a MISSING_ARGUMENT', () => {
    expect(validateArguments(command, {}, 16)).toMatchObject({
      ok: false,
      failure: {
        code: 'MISSING_ARGUMENT',
        message: 'arguments of Run are not valid: /name: is required',
        target: 'name',
        details: { pointer: '/name', issueCount: 1 },
      },
    });
  });

  it('whose names are nearly those of the schema are told the names', () => {
    const checked = validateArguments(command, { nmae: 'a', zzzzzz: 1 }, 16);
    const { message } = (checked as { failure: { message: string } }).failure;
    expect(message).toContain('/nmae: is not a property that the schema allows; did you mean "name"?');
    expect(message).toMatch(/\/zzzzzz: is not a property that the schema allows($|;)(?! did)/);
  });

  it('that do not fit are an INVALID_ARGUMENT, all named', () => {
    const checked = validateArguments(command, { name: 5, count: 'x', other: 1 }, 2);
    expect(checked.ok ? null : checked.failure.code).toBe('INVALID_ARGUMENT');
    const details = (checked.ok ? {} : checked.failure.details) as { issues: unknown[]; issueCount: number };
    expect([details.issues.length, details.issueCount]).toEqual([2, 3]);
  });

  it('are an INVALID_ARGUMENT when one is absent and another wrong', () => {
    expect(validateArguments(command, { count: 'x' }, 16)).toMatchObject({ failure: { code: 'INVALID_ARGUMENT' } });
  });

  it('share no default with the next call', () => {
    const listed = commandWith({
      inputSchema: { type: 'object', properties: { tags: { default: ['a'] }, options: { default: { deep: [1] } } } },
    });
    const first = validateArguments(listed, {}, 16);
    if (!first.ok) throw new Error(first.failure.message);
    (first.arguments as { tags: string[] }).tags.push('b');
    (first.arguments as { options: { deep: number[] } }).options.deep.push(2);
    expect(validateArguments(listed, {}, 16)).toEqual({
      ok: true,
      arguments: { tags: ['a'], options: { deep: [1] } },
    });
  });

  it('are never converted', () => {
    expect(validateArguments(command, { name: 'a', count: '5' }, 16)).toMatchObject({
      failure: { code: 'INVALID_ARGUMENT', target: 'count' },
    });
  });

  it('take no default from a prototype', () => {
    const plain = commandWith({ inputSchema: { type: 'object', properties: { constructor: { default: 1 } } } });
    expect(validateArguments(plain, {}, 16)).toEqual({ ok: true, arguments: { constructor: 1 } });
  });
});

describe('output', () => {
  const command = commandWith({
    outputSchema: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] },
  });

  it('that fits is fine', () => {
    expect(validateOutput(command, 'success', { total: 1 }, [], 16)).toBeNull();
  });

  it.each(['success', 'partial'] as const)('of %s is bound by its schema', (status) => {
    expect(validateOutput(command, status, { total: 'one' }, [], 16)).toMatchObject({
      code: 'INVALID_TOOL_RESULT',
      category: 'validation',
      target: 'data.total',
      details: { pointer: '/data/total' },
    });
  });

  it.each(['error', 'accepted', 'cancelled', 'timeout'] as const)(
    'of %s is not: it has a shape of its own',
    (status) => {
      expect(validateOutput(command, status, { reason: 'anything' }, [], 16)).toBeNull();
    },
  );

  describe('with files as text that became references', () => {
    const reference = { $resource: 'res_1' };
    const picture = (schema: Record<string, unknown>) =>
      commandWith({
        outputSchema: { type: 'object', properties: { a: { type: 'object', properties: { picture: schema } } } },
      });
    const field = { path: ['a', 'picture'], text: 'AAEC' };
    const data = { a: { picture: reference } };

    it('fits when the references do', () => {
      const referring = picture({ $ref: 'urn:vcp:schema:1.0:resource-reference' });
      expect(validateOutput(referring, 'success', data, [field], 16)).toBeNull();
    });

    it('fits when the texts did that the plugin gave', () => {
      expect(validateOutput(picture({ type: 'string' }), 'success', data, [field], 16)).toBeNull();
      expect(
        validateOutput(picture({ anyOf: [{ type: 'string' }, { type: 'null' }] }), 'success', data, [field], 16),
      ).toBeNull();
    });

    it('fits when some do this and some that', () => {
      const tuples = commandWith({
        outputSchema: {
          items: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'object' } }, required: ['a', 'b'] },
        },
      });
      const fields = [0, 1].flatMap((index) => ['a', 'b'].map((key) => ({ path: [index, key], text: 'AAEC' })));
      const both = { a: reference, b: reference };
      expect(validateOutput(tuples, 'success', [both, both], fields, 16)).toBeNull();
    });

    it.each<[string, Record<string, unknown>]>([
      ['an alternative', { anyOf: [{ $ref: '#/$defs/both' }, { type: 'null' }] }],
      ['one of two alternatives', { oneOf: [{ $ref: '#/$defs/both' }, { $ref: '#/$defs/turned' }] }],
      ['rows', { properties: { rows: { items: { anyOf: [{ $ref: '#/$defs/both' }, { type: 'null' }] } } } }],
    ])('fits when some do this and some that within %s', (_, schema) => {
      const text = { type: 'string' };
      const file = { $ref: 'urn:vcp:schema:1.0:resource-reference' };
      const both = { type: 'object', properties: { k: { const: 1 }, a: file, b: text, c: text } };
      const turned = { type: 'object', properties: { k: { const: 2 }, a: text, b: file, c: text } };
      const mixed = commandWith({ outputSchema: { ...schema, $defs: { both, turned } } });
      const row = { k: 1, a: reference, b: reference };
      const isRows = 'properties' in schema;
      const rows = Array.from({ length: 100 }, () => row);
      const fields = (isRows ? rows : [row]).flatMap((_row, index) =>
        ['a', 'b'].map((key) => ({ path: isRows ? ['rows', index, key] : [key], text: 'AAEC' })),
      );
      expect(validateOutput(mixed, 'success', isRows ? { rows } : row, fields, 16)).toBeNull();
      const wrong = { ...row, k: 3 };
      expect(
        validateOutput(mixed, 'success', isRows ? { rows: [wrong, ...rows.slice(1)] } : wrong, fields, 16),
      ).toMatchObject({ code: 'INVALID_TOOL_RESULT' });
    });

    it('does not fit when neither does, or another field does not', () => {
      const failure = { code: 'INVALID_TOOL_RESULT', details: { pointer: '/data/a/picture' } };
      expect(validateOutput(picture({ type: 'number' }), 'success', data, [field], 16)).toMatchObject(failure);
      expect(validateOutput(picture({ type: 'string', maxLength: 3 }), 'success', data, [field], 16)).toMatchObject(
        failure,
      );
      const strict = commandWith({ outputSchema: { properties: { a: true, n: { type: 'number' } } } });
      expect(validateOutput(strict, 'success', { ...data, n: 'one' }, [field], 16)).toMatchObject({
        details: { pointer: '/data/n' },
      });
    });
  });
});
