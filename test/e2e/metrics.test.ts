import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../support/manifest.ts';
import { startServerProcess, temporaryHome, writePlugin, type ServerProcess } from '../support/server-process.ts';

const home = temporaryHome();
let server: ServerProcess;

const MODULE = `
export const processToolCall = ({ kind }) => {
  if (kind === 'throws') throw new Error('on purpose');
  if (kind === 'illegal') return { status: 'success', data: {}, extra: true };
  if (kind === 'long') return { status: 'success', data: { text: 'x'.repeat(100_000) } };
  if (kind === 'picture') return { status: 'success', data: {}, resources: [{ id: 'p', fileName: 'p.txt', base64: 'aGVsbG8=' }] };
  return { status: 'success', data: { kind: kind ?? null } };
};
`;

beforeAll(async () => {
  const { sha256 } = writePlugin(home.plugins, { name: 'Worker', module: 'worker.mjs', moduleText: MODULE });
  writePlugin(home.plugins, { name: 'Script', command: 'node', args: ['echo.mjs'] });
  server = await startServerProcess(home, { VCP_TRUSTED_MODULES: sha256 ?? '', VCP_LOG_LEVEL: 'debug' });
}, 30_000);

afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

/** Every sample of an exposition, by its series with the labels in order. */
const samplesOf = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const cut = line.lastIndexOf(' ');
        return [line.slice(0, cut), Number(line.slice(cut + 1))] as const;
      }),
  );

const read = async (): Promise<string> => {
  const response = await server.request('/metrics');
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  return await response.text();
};

describe('GET /metrics on a running server', () => {
  it('tells of the calls that were made', async () => {
    await server.call('Worker');
    await server.call('Worker', { kind: 'throws' });
    await server.call('Worker', { kind: 'illegal' });
    await server.call('Worker', { kind: 'long' }, { view: 'ai' });
    await server.call('Worker', { kind: 'picture' });
    await server.call('Nobody');
    const script = await server.call('Script', { a: 1 });
    expect(script.status).toBe('success');

    const samples = samplesOf(await read());
    expect(Object.fromEntries([...samples].filter(([series]) => EXPECTED.has(series)))).toEqual(
      Object.fromEntries(EXPECTED),
    );
    expect(samples.get('vcp_tool_call_duration_seconds_sum{tool="Script"}')).toBeGreaterThan(0);
    expect(samples.get('vcp_tool_input_bytes_total{tool="Script"}')).toBe('{"a":1}'.length);
    expect(samples.get('vcp_tool_output_bytes_total{tool="Worker"}')).toBeGreaterThan(100_000);
    expect(samples.get('vcp_ai_projection_characters_sum')).toBeGreaterThan(1_000);
    expect(samples.get('vcp_process_start_time_seconds')).toBeGreaterThan(1_700_000_000);
    expect([...samples.keys()].filter((series) => series.startsWith('vcp_nodejs_eventloop_lag'))).not.toEqual([]);
  });

  it('has a figure for every row of the table in docs/operations.md, and a row for every figure', async () => {
    const table = readFileSync(join(repositoryRoot, 'docs', 'operations.md'), 'utf8');
    const documented = [...table.matchAll(/^\| `(vcp_\w+)` \| (\w+) \|/gm)].map(([, name, type]) => `${name} ${type}`);
    const exposed = [...(await read()).matchAll(/^# TYPE (vcp_(?!process_|nodejs_)\w+) (\w+)$/gm)];
    expect(exposed.map(([, name, type]) => `${name} ${type}`).toSorted()).toEqual(documented.toSorted());
    expect(documented.length).toBeGreaterThan(15);
  });

  it('is not for those without an operator’s key', async () => {
    expect((await fetch(`${server.url}/metrics`)).status).toBe(401);
  });
});

/** Series that the calls above must have left, and their values. */
const EXPECTED = new Map<string, number>([
  ['vcp_tool_calls_total{tool="Worker",status="success"}', 3],
  ['vcp_tool_calls_total{tool="Worker",status="error"}', 2],
  ['vcp_tool_calls_total{tool="Script",status="success"}', 1],
  ['vcp_tool_calls_total{tool="(unknown)",status="error"}', 1],
  ['vcp_tool_errors_total{tool="Worker",category="runtime",code="INTERNAL_ERROR"}', 1],
  ['vcp_tool_errors_total{tool="Worker",category="protocol",code="INVALID_TOOL_RESULT"}', 1],
  ['vcp_tool_call_duration_seconds_count{tool="Worker"}', 5],
  ['vcp_tool_stage_duration_seconds_count{tool="Worker",stage="transport"}', 5],
  ['vcp_tool_stage_duration_seconds_count{tool="Worker",stage="resources"}', 3],
  ['vcp_tool_base64_resources_total{tool="Worker"}', 1],
  ['vcp_tool_resource_bytes_total{tool="Worker"}', 5],
  ['vcp_tool_calls_running{tool="Worker"}', 0],
  ['vcp_tool_calls_waiting{tool="Script"}', 0],
  ['vcp_presentation_duration_seconds_count{view="ai"}', 1],
  ['vcp_presentation_truncations_total{view="ai"}', 1],
  ['vcp_ai_projection_characters_count', 1],
  ['vcp_http_requests_total{method="POST",route="/v1/human/tool",status="200"}', 7],
  ['vcp_plugins{state="served"}', 4],
  ['vcp_plugins{state="refused"}', 0],
]);

describe('the log of a running server', () => {
  it('joins the lines of one call by its ids', async () => {
    const result = await server.call('Script', { a: 2 });
    const { invocationId, requestId, recordId } = result.execution;
    const linesOfCall = () =>
      server
        .stderr()
        .split('\n')
        .filter((line) => line.includes(requestId))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    while (linesOfCall().length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(linesOfCall()).toEqual([
      expect.objectContaining({
        level: 'info',
        event: 'call.finished',
        invocationId,
        requestId,
        toolName: 'Script',
        resultId: result.id,
        recordId,
      }),
      expect.objectContaining({ level: 'debug', event: 'http.request', requestId, status: 200 }),
    ]);
  });
});
