// The client of a call that is answered as a stream, against the real routes.
import { describe, expect, it } from 'vitest';
import { createVcpClient, VcpProblem, VcpUnreachable } from '../../../src/client/vcp-client.ts';
import type { ProgressEvent } from '../../../src/protocol/progress-event.ts';
import { createMemoryApp, success } from '../../support/memory-runtime.ts';

const clientOf = (fetch: (request: Request) => Promise<Response> | Response) =>
  createVcpClient({
    endpoint: 'http://server.test',
    apiKey: 'key-of-alice',
    fetch: async (input, init) => await fetch(new Request(input as string, init)),
  });

const streaming = (text: string) =>
  clientOf(() => new Response(text, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }));

describe('callTool with onProgress', () => {
  it('hands on the progress and gives the result', async () => {
    const { app } = createMemoryApp({
      answer: async (call) => {
        call.reportProgress({ stage: 'half', progress: 0.5, message: '一半' });
        return success({ text: 'line\nbreak 漢' });
      },
    });
    const seen: ProgressEvent[] = [];
    const client = clientOf(async (request) => await app.request(request));
    const result = await client.callTool('Sample', {}, { onProgress: (event) => void seen.push(event) });
    expect(result).toMatchObject({ status: 'success', data: { text: 'line\nbreak 漢' } });
    expect(seen).toMatchObject([{ type: 'vcp_info', stage: 'half', progress: 0.5, message: '一半' }]);
  });

  it('takes a JSON answer of a server that does not stream', async () => {
    const client = clientOf(() => Response.json({ id: 'tr_x', status: 'success' }));
    expect(await client.callTool('Sample', {}, { onProgress: () => undefined })).toMatchObject({ id: 'tr_x' });
  });

  it('raises the problem that a refused call gets', async () => {
    const { app } = createMemoryApp();
    const client = createVcpClient({
      endpoint: 'http://server.test',
      apiKey: 'key-of-limited',
      fetch: async (input, init) => await app.request(new Request(input as string, init)),
    });
    const fault = await client.callTool('Sample', {}, { onProgress: () => undefined }).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(VcpProblem);
  });

  it('raises the problem that a stream ends with', async () => {
    const problem = JSON.stringify({ status: 500, code: 'INTERNAL_ERROR', detail: 'a fault' });
    const client = streaming(`event: problem\ndata: ${problem}\n\n`);
    await expect(client.callTool('Sample', {}, { onProgress: () => undefined })).rejects.toThrow('a fault');
  });

  it.each([
    ['at once', ''],
    ['after a keep-alive', ': keep-alive\n\n'],
    ['within the result', 'event: result\ndata: {"id":"tr_x"'],
    ['within an event that is no JSON', 'event: result\ndata: {"id":\n\n'],
  ])('says that the connection broke off: %s', async (_, text) => {
    const fault = await streaming(text)
      .callTool('Sample', {}, { onProgress: () => undefined })
      .catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(VcpUnreachable);
    expect((fault as Error).message).toContain('broke off');
  });

  it('skips events that it does not know', async () => {
    const client = streaming('event: future\ndata: 1\n\nevent: result\ndata: {"id":"tr_x"}\n\n');
    expect(await client.callTool('Sample', {}, { onProgress: () => undefined })).toEqual({ id: 'tr_x' });
  });

  it('stops with the signal', async () => {
    const stop = new AbortController();
    const { app } = createMemoryApp({ answer: () => new Promise(() => undefined) });
    const client = clientOf(async (request) => await app.request(request));
    const call = client.callTool('Sample', {}, { onProgress: () => undefined, signal: stop.signal });
    stop.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });
});
