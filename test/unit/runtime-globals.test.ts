import { describe, expect, inject, it } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    runtime: 'Node.js' | 'Deno' | 'Cloudflare-Workers';
  }
}

// The core leans on these Web APIs and on nothing else of its runtime. The file runs on Node, Deno and workerd.
describe('the runtime', () => {
  it('is the one that this run is for', () => {
    expect(navigator.userAgent.split('/')[0]).toBe(inject('runtime'));
  });

  it('hashes with Web Crypto', async () => {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc'));
    expect(new Uint8Array(digest).slice(0, 4)).toEqual(new Uint8Array([0xba, 0x78, 0x16, 0xbf]));
  });

  it('streams bytes', async () => {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array([1, 2, 3]));
        controller.close();
      },
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks).toEqual([new Uint8Array([1, 2, 3])]);
  });

  it('refuses malformed UTF-8 when asked to', () => {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    expect(() => decoder.decode(new Uint8Array([0xff]))).toThrow(TypeError);
  });

  it('parses URLs', () => {
    expect(new URL('../b?q=1', 'https://example.test/a/c').href).toBe('https://example.test/b?q=1');
  });

  it('joins abort signals', () => {
    const one = new AbortController();
    const both = AbortSignal.any([one.signal, new AbortController().signal]);
    one.abort('enough');
    expect(both.reason).toBe('enough');
  });

  it('clones structured values', () => {
    const value = { bytes: new Uint8Array([7]), nested: [{ at: new Date(0) }] };
    const clone = structuredClone(value);
    expect(clone).toEqual(value);
    expect(clone.nested).not.toBe(value.nested);
  });

  it('notices lone surrogates', () => {
    expect('\ud83d'.isWellFormed()).toBe(false);
    expect('😀'.isWellFormed()).toBe(true);
  });
});
