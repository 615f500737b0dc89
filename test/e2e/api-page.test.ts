import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServerProcess, temporaryHome, type ServerProcess } from '../support/server-process.ts';

const home = temporaryHome();
let server: ServerProcess;

beforeAll(async () => {
  server = await startServerProcess(home);
}, 30_000);

afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

describe('the API page of a running server', () => {
  it('loads only files of this server, with the types that they need under nosniff', async () => {
    const html = await (await fetch(`${server.url}/docs`)).text();
    const loaded = [...html.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, url]) => url as string);
    const files = loaded.filter((url) => !url.startsWith('data:'));
    expect(files).toEqual(['docs/swagger-ui.css', 'docs/page.css', 'docs/swagger-ui-bundle.js', 'docs/page.js']);
    const answers = await Promise.all(
      files.map(async (file) => {
        const response = await fetch(new URL(file, `${server.url}/docs`));
        const size = (await response.arrayBuffer()).byteLength;
        return [response.status, response.headers.get('content-type'), size > 100];
      }),
    );
    expect(answers).toEqual([
      [200, 'text/css; charset=utf-8', true],
      [200, 'text/css; charset=utf-8', true],
      [200, 'text/javascript; charset=utf-8', true],
      [200, 'text/javascript; charset=utf-8', true],
    ]);
  });

  it('has nothing that its Content-Security-Policy would refuse', async () => {
    const html = await (await fetch(`${server.url}/docs`)).text();
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i);
    const script = await (await fetch(`${server.url}/docs/page.js`)).text();
    expect(script).not.toMatch(/https?:\/\/|\beval\b|new Function|innerHTML/);
  });

  it('keeps the document behind the key', async () => {
    expect((await fetch(`${server.url}/openapi.json`)).status).toBe(401);
    const document = (await (await server.request('/openapi.json')).json()) as { openapi: string };
    expect(document.openapi).toBe('3.1.0');
  });
});
