// What no other tool looks for. Run by scripts/check.ts; prints one line for each finding.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, root } from './lib/repository.ts';

interface Rule {
  readonly name: string;
  readonly files: readonly string[];
  readonly forbidden: RegExp;
}

const name = String.raw`\b(?:tool_?name|plugin_?name|(?:tool|plugin|definition|manifest)\??\.name)\b`;
/** The begin and the end of a string that is not empty: `toolName === ''` asks whether there is a name at all. */
const begin = String.raw`['"\x60](?!['"\x60])`;
const end = String.raw`(?<!['"\x60])['"\x60]`;

const rules: readonly Rule[] = [
  {
    // The manifest, the schema, the renderer or an extension says what differs; the core knows no tool.
    name: "branches on a tool's name",
    files: listFiles('src', /\.ts$/),
    forbidden: new RegExp(
      [
        String.raw`(?<!typeof\s+[\w.?]*)${name}\s*[!=]==?\s*${begin}`,
        String.raw`${end}\s*[!=]==?\s*[\w.?]*${name}`,
        String.raw`switch\s*\(\s*[\w.?]*${name}\s*\)`,
        String.raw`\]\s*\.includes\(\s*[\w.?]*${name}\s*\)`,
        String.raw`${name}\.(?:startsWith|endsWith)\(\s*${begin}`,
      ].join('|'),
      'i',
    ),
  },
  {
    name: 'runs one test only',
    files: [
      ...listFiles('test', /\.(?:ts|mjs)$/),
      ...listFiles('plugins-stdio', /\.(?:ts|mjs)$/),
      ...listFiles('plugins-direct', /\.(?:ts|mjs)$/),
      ...listFiles('plugins-wasm', /\.(?:ts|mjs)$/),
    ],
    forbidden: /\b(?:it|test|describe|suite)(?:\.\w+)*\.only\b/,
  },
  {
    name: 'is unfinished',
    files: listFiles('', /\.(?:ts|mjs|cjs|js|py|sh|toml|ya?ml)$/),
    // Written apart, so that this file does not find itself.
    forbidden: new RegExp(String.raw`\b(?:TO${''}DO|FIX${''}ME)\b`),
  },
  {
    // .npmrc asks npm to leave them out: a lock file must not tie its users to one registry.
    name: 'ties the lock file to a registry',
    files: listFiles('', /^package-lock\.json$/),
    forbidden: /"resolved": "https?:/,
  },
];

let findings = 0;
for (const rule of rules) {
  for (const file of rule.files) {
    for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
      if (!rule.forbidden.test(line)) continue;
      findings += 1;
      console.log(`${file}:${index + 1} ${rule.name}: ${line.trim().slice(0, 120)}`);
    }
  }
}
process.exitCode = findings === 0 ? 0 : 1;
