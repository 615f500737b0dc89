import { describe, expect, it } from 'vitest';
import type { Role } from '../../../src/ports/authenticator.ts';
import { mayCallTools, mayUseTool, seesEverything } from '../../../src/server/access.ts';
import { createMemoryApp } from '../../support/memory-runtime.ts';
import { manifest } from '../../support/sample-values.ts';

const identity = (roles: readonly Role[], tools: readonly string[] | null = null) => ({
  id: 'key_x',
  name: 'x',
  roles: new Set(roles),
  tools: tools === null ? null : new Set(tools),
});

describe('a role', () => {
  it.each<[Role, boolean, boolean]>([
    ['human', true, false],
    ['workflow', true, false],
    ['ai', true, false],
    ['bridge', true, false],
    ['node', false, false],
    ['operator', true, true],
    ['admin', true, true],
  ])('%s: calls tools %s, sees what others left %s', (role, calls, sees) => {
    expect([mayCallTools(identity([role])), seesEverything(identity([role]))]).toEqual([calls, sees]);
  });

  it('adds to the others of its key', () => {
    expect(mayCallTools(identity(['node', 'ai']))).toBe(true);
  });

  it('does not widen the tools of its key', () => {
    expect(mayUseTool(identity(['admin'], ['Other']), 'Sample')).toBe(false);
  });
});

describe('a key with a list of tools', () => {
  const errorOf = async (parts: ReturnType<typeof createMemoryApp>, as: string) => {
    const { error } = (await (await parts.call({ tool: 'Other' }, as)).json()) as { error: object };
    return error;
  };

  it('hears of no other tool when one of its own is not there', async () => {
    const parts = createMemoryApp({ manifests: [manifest({ name: 'Otter' })] });
    expect(await errorOf(parts, 'limited')).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: 'there is no tool "Other"; the list of tools (vcp tools, GET /v1/tools) has the names',
      details: null,
    });
    expect(await errorOf(parts, 'alice')).toMatchObject({
      message: 'there is no tool "Other"; did you mean "Otter"?',
      details: { suggestion: 'Otter' },
    });
  });
});

describe('a key of a node', () => {
  const { call, send, delivered } = createMemoryApp();

  it('calls no tool, and is told which roles do', async () => {
    const response = await call({ tool: 'Sample' }, 'node');
    expect([response.status, await response.json()]).toMatchObject([
      403,
      {
        code: 'FORBIDDEN',
        detail:
          'this key may use no tools: it needs one of the roles human, workflow, ai, bridge, operator, admin, and has node',
      },
    ]);
    expect(delivered).toEqual([]);
  });

  it('is offered none', async () => {
    expect(await (await send('/v1/tools', { as: 'node' })).json()).toEqual({ tools: [] });
    expect((await send('/v1/tools/Sample', { as: 'node' })).status).toBe(404);
    expect((await send('/v1/tools/Sample/commands/Run/ports', { as: 'node' })).status).toBe(404);
  });
});
