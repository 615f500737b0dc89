import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles, root } from '../../scripts/lib/repository.ts';

// What has to be absent cannot be shown by running it.

const filesWith = (files: readonly string[], pattern: RegExp): string[] =>
  files.filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));

const core = [...listFiles('src', /\.ts$/), ...listFiles('adapters', /\.ts$/)];
const plugins = ['plugins-stdio', 'plugins-direct']
  .flatMap((folder) => listFiles(folder, /\.(?:mjs|js|py|json)$/))
  .filter((file) => !file.includes('/tests/'));

describe('the sources', () => {
  it('name no plugin in the core or an adapter (§14.4)', () => {
    const names = plugins
      .filter((file) => file.endsWith('/plugin-manifest.json'))
      .map((file) => (JSON.parse(readFileSync(join(root, file), 'utf8')) as { name: string }).name);
    expect(names.length).toBeGreaterThan(0);
    expect(filesWith(core, new RegExp(String.raw`\b(?:${names.join('|')})\b`))).toEqual([]);
  });

  it('hold no trace of the legacy patterns (§21)', () => {
    expect(core.length).toBeGreaterThan(100);
    expect(plugins.length).toBeGreaterThan(5);
    // A model adapter may speak a vendor's format; a plugin may not.
    expect(filesWith(plugins, /\b(?:original_plugin_output|image_url|plugin_error)\b/)).toEqual([]);
    // Nor does anybody unwrap a plugin's old output, or read JSON out of an error's message.
    expect(filesWith(core, /\boriginal_plugin_output\b|JSON\.parse\([^()]*\.message\b/)).toEqual([]);
  });

  it('parse JSON of others at one border, parseJson, which has limits', () => {
    // Each file here reads its own text or what the core itself wrote, never what a caller or a plugin sent.
    const known = [
      'adapters/node/plugin-build/javascript/bundle-source.ts',
      'adapters/node/plugin-build/javascript/source-lines.ts',
      'adapters/node/server-documents.ts',
      'adapters/sql/approval-rows.ts',
      'adapters/sql/call-rows.ts',
      'adapters/sql/inbox-rows.ts',
      'adapters/sql/schedule-rows.ts',
      'adapters/sql/sql-call-store.ts',
      'adapters/sql/task-rows.ts',
      'src/lib/parse-json.ts',
      'src/transport/direct/direct-transport.ts',
    ];
    const callers = filesWith(core, /\bJSON\.parse\(/);
    expect(callers.toSorted()).toEqual(known);
  });
});
