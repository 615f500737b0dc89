import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FoundManifest } from '../../src/registry/compile-plugin.ts';

export const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** Scripts that behave well or badly; each stands for a plugin's process. */
export const stdioFixtures = join(repositoryRoot, 'test', 'fixtures', 'stdio');

export type PluginSpec = {
  readonly name: string;
  readonly command?: string;
  readonly args?: readonly string[];
  /** A module of the plugin's directory instead of a command. */
  readonly module?: string;
  readonly directory?: string;
  readonly timeoutMs?: number;
  readonly concurrency?: number;
  readonly outputSchema?: unknown;
  readonly inputSchema?: unknown;
  readonly more?: Readonly<Record<string, unknown>>;
  /** More fields of the command. */
  readonly commandMore?: Readonly<Record<string, unknown>>;
};

/** A valid manifest of one command, `Run`, which takes and gives anything unless told otherwise. */
export const manifestOf = (spec: PluginSpec): Record<string, unknown> => ({
  manifestVersion: '1.0',
  name: spec.name,
  displayName: spec.name,
  version: '1.0.0',
  description: 'A plugin of the tests.',
  pluginType: 'synchronous',
  toolResultProtocol: { name: 'vcp.tool-result', version: '1.0' },
  entryPoint:
    spec.module === undefined
      ? { type: 'command', command: spec.command ?? 'sh', args: spec.args ?? [] }
      : { type: 'module', file: spec.module },
  communication: {
    protocol: spec.module === undefined ? 'stdio' : 'direct',
    timeoutMs: spec.timeoutMs ?? 20_000,
    ...(spec.concurrency === undefined ? {} : { concurrency: spec.concurrency }),
  },
  capabilities: {
    invocationCommands: [
      {
        commandIdentifier: 'Run',
        description: 'Does what its script does.',
        inputSchema: spec.inputSchema ?? true,
        outputSchema: spec.outputSchema ?? true,
        examples: [{ arguments: {} }],
        ...spec.commandMore,
      },
    ],
  },
  ...spec.more,
});

export const foundManifest = (spec: PluginSpec): FoundManifest => {
  const directory = spec.directory ?? stdioFixtures;
  return { text: JSON.stringify(manifestOf(spec)), directory, location: join(directory, spec.name) };
};

export const sha256OfFile = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

/** What a module of several files is trusted by: the SHA-256 of their list as `sha256sum` prints it, in order of path. */
export const sha256OfFiles = (texts: Readonly<Record<string, string>>): string => {
  const lines = Object.keys(texts)
    .toSorted()
    .map((name) => `${sha256Of(texts[name] as string)}  ${name}\n`);
  return sha256Of(lines.join(''));
};

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');
