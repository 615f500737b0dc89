// The code in docs/plugin-guide.md is that of the example plugins, which other tests run.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serverRoot } from '../../adapters/node/server-root.ts';
import { PluginResultPayload } from '../../src/protocol/plugin-result-payload.ts';
import { DeliveredResource } from '../../src/protocol/resource-input.ts';
import { StdoutFrame } from '../../src/protocol/stdio-frame.ts';

const guide = readFileSync(join(serverRoot, 'docs/plugin-guide.md'), 'utf8');

type Block = { readonly file: string | undefined; readonly language: string; readonly code: string };

const blocks: readonly Block[] = [...guide.matchAll(/(?:^<!-- file: (\S+) -->\n)?^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, file, language = '', code = '']) => ({ file, language, code }),
);

const shown = blocks.flatMap(({ file, code }) => (file === undefined ? [] : [{ file, code }]));

it.each(shown)('shows $file as it is', ({ file, code }) => {
  expect(code).toBe(readFileSync(join(serverRoot, file), 'utf8'));
});

it('shows the program of every example, and no other code', () => {
  const examples = join(serverRoot, 'examples');
  const programs = readdirSync(examples, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:py|mjs|ts)$/.test(path))
    .map((path) => `examples/${path}`);
  const code = blocks.filter(({ language }) => ['python', 'js', 'ts'].includes(language));
  const files = code.map(({ file }) => file ?? 'code of no file');
  expect(files.filter((file) => file.startsWith('examples/')).toSorted()).toEqual(programs.toSorted());
  // The rest is what `vcp plugin new` makes, which test/contract/plugin-build builds and serves.
  const templates = files.filter((file) => !file.startsWith('examples/'));
  expect(templates).toContain('plugin-kit/templates/assemblyscript/assembly/index.ts');
  expect(templates.filter((file) => !file.startsWith('plugin-kit/templates/'))).toEqual([]);
});

describe('JSON that is nobody’s file', () => {
  const written = blocks.filter(({ file, language }) => file === undefined && language === 'json');

  it.each(written)('is what the protocol takes: $code', ({ code }) => {
    const value: unknown = JSON.parse(code);
    const has = (key: string) => typeof value === 'object' && value !== null && key in value;
    const schema = has('vcp') ? StdoutFrame : has('$resource') ? DeliveredResource : PluginResultPayload;
    expect(schema.safeParse(value).error).toBeUndefined();
  });
});

it('names headings that are there', () => {
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(' ', '-');
  const headings = new Set([...guide.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slug(heading)));
  const links = [...guide.matchAll(/\]\(#([^)]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((link) => !headings.has(link))).toEqual([]);
});
