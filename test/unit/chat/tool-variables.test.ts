import { describe, expect, it } from 'vitest';
import { createToolVariables } from '../../../src/chat/tools/tool-variables.ts';
import { writeExampleRequest } from '../../../src/chat/tools/write-example-request.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { createToolRegistry } from '../../../src/registry/tool-registry.ts';
import { readToolRequest } from '../../../src/instruction/read-tool-request.ts';
import { expand } from '../../support/chat.ts';
import { manifest } from '../../support/sample-values.ts';

const draw = {
  commandIdentifier: 'Draw',
  description: 'Draws a picture.',
  inputSchema: {
    type: 'object',
    properties: {
      command: { const: 'Draw' },
      size: { type: 'integer', default: 512, description: 'Pixels  of\none side.' },
      style: { enum: ['ink', 'oil'] },
      prompt: { type: 'string', description: 'What to draw.' },
      place: { $ref: '#/$defs/place' },
    },
    required: ['command', 'prompt'],
    $defs: { place: { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } }, required: ['x'] } },
  },
  outputSchema: true,
  examples: [{ arguments: { command: 'Draw', prompt: 'a 「quoted」 cat', size: 64 } }],
};
const clear = {
  commandIdentifier: 'Clear',
  description: 'Clears it.',
  inputSchema: { type: 'object', properties: { command: { const: 'Clear' } }, required: ['command'] },
  outputSchema: true,
};
const one = {
  commandIdentifier: 'Say',
  description: 'Says it.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' }, times: { type: 'integer' }, tags: { type: 'array' } },
    required: ['text', 'times'],
  },
  outputSchema: true,
};

const variables = (
  manifests: readonly Record<string, unknown>[],
  options: { locale?: string; characters?: number } = {},
) => {
  const registry = createToolRegistry(
    manifests.map((each, index) => ({ text: JSON.stringify(each), directory: null, location: `at ${index}` })),
  );
  expect(registry.refused()).toEqual([]);
  return createToolVariables({
    registry,
    writeToolRequest: writeExampleRequest,
    locale: options.locale ?? 'en',
    limits: { ...DEFAULT_LIMITS, toolListCharacters: options.characters ?? 32_000 },
  });
};
const painter = manifest({
  name: 'Painter',
  description: 'Paints.',
  capabilities: { invocationCommands: [draw, clear] },
});
const speaker = manifest({ name: '朗读', description: 'Speaks.', capabilities: { invocationCommands: [one] } });
const everybody = () => true;

describe('a tool as a model is told of it', () => {
  it('has its commands, their arguments with types, and an example of each', async () => {
    const { text } = await expand('{{VCPPainter}}', [variables([painter]).offeredTo(everybody)]);
    expect(text).toBe(`### Painter
Paints.
Command Draw: Draws a picture.
Arguments:
- prompt (string, required): What to draw.
- size (integer, optional, default 512): Pixels of one side.
- style (string, optional, one of "ink" | "oil")
- place (object {x, y?}, optional)
Example:
<<<[TOOL_REQUEST]>>>
tool_name:「始」Painter「末」,
command:「始」Draw「末」,
prompt:「始」a 「quoted」 cat「末」,
size:「始」64「末」
<<<[END_TOOL_REQUEST]>>>
Command Clear: Clears it.
Arguments: none
Example:
<<<[TOOL_REQUEST]>>>
tool_name:「始」Painter「末」,
command:「始」Clear「末」
<<<[END_TOOL_REQUEST]>>>`);
  });

  it('with one command names none, and has an example made of what is required', async () => {
    const { text } = await expand('{{VCP朗读}}', [variables([speaker], { locale: 'zh-CN' }).offeredTo(everybody)]);
    expect(text).toBe(`### 朗读
Speaks.
Says it.
参数：
- text (string, 必填)
- times (integer, 必填)
- tags (array, 可选)
示例：
<<<[TOOL_REQUEST]>>>
tool_name:「始」朗读「末」,
text:「始」…「末」,
times:「始」1「末」
<<<[END_TOOL_REQUEST]>>>`);
  });

  it('is exampled by requests that the server itself can read', async () => {
    const { text } = await expand('{{VCPPainter}}', [variables([painter]).offeredTo(everybody)]);
    const [block = ''] = /<<<\[TOOL_REQUEST\]>>>[^]*?<<<\[END_TOOL_REQUEST\]>>>/.exec(text) ?? [];
    const tool = { commandField: 'command', commands: [draw, clear] };
    expect(readToolRequest(block, { findTool: () => tool })).toMatchObject({
      ok: true,
      request: { toolName: 'Painter', arguments: { command: 'Draw', prompt: 'a 「quoted」 cat', size: 64 } },
    });
  });
});

describe('all tools', () => {
  it('are those that the caller may use and that are switched on, after the guide', async () => {
    const off = manifest({ name: 'Off', enabled: false });
    const source = variables([painter, speaker, off]).offeredTo((name) => name !== 'Painter');
    const { text, diagnostics } = await expand('{{VCPAllTools}}|{{VCPPainter}}|{{VCPOff}}', [source]);
    expect(text).toMatch(/^You can call tools\./);
    expect(text).toContain('### 朗读');
    expect(text).not.toContain('### Painter');
    expect(text).not.toContain('### Off');
    expect(text).toMatch(/\|\{\{VCPPainter\}\}\|\{\{VCPOff\}\}$/);
    expect(diagnostics.map(({ name }) => name)).toEqual(['VCPPainter', 'VCPOff']);
  });

  it('that do not fit are named, with how to ask for them', async () => {
    const long = manifest({ name: 'Long', description: 'x'.repeat(1_900) });
    const source = variables([long, speaker], { characters: 600 }).offeredTo(everybody);
    const { text } = await expand('{{VCPAllTools}}', [source]);
    expect(text).toContain('### 朗读');
    expect(text).not.toContain('### Long');
    expect(text).toMatch(/Not described here for want of room: Long\. When you need one of them, say so/);
  });

  it('may be none', async () => {
    expect((await expand('{{VCPAllTools}}', [variables([]).offeredTo(everybody)])).text).toBe(
      'No tools are available.',
    );
  });

  it('have a guide of their own, in the language that is set', async () => {
    const { text } = await expand('{{VCPToolGuide}}', [variables([], { locale: 'zh' }).offeredTo(everybody)]);
    expect(text).toMatch(/^你可以调用工具/);
    expect(text).toContain('tool_name:「始」ToolName「末」');
  });

  it('are no variables by what objects inherit', async () => {
    const names = '{{VCPconstructor}}{{VCP__proto__}}{{VCP}}';
    expect((await expand(names, [variables([painter]).offeredTo(everybody)])).text).toBe(names);
  });
});
