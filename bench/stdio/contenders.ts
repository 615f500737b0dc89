import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { openNodeRuntime } from '../../test/support/node-runtime.ts';
import type { EchoInput, EchoOutput } from '../http-call/plugins/BenchEcho/bench-echo.mjs';

/** A host with one tool behind stdio, cold: no call has been made yet. */
export interface OpenHost {
  call(input: EchoInput): Promise<EchoOutput>;
  close(): Promise<void>;
}

export interface Contender {
  id: string;
  label: string;
  /** Whether every call needs a process of its own, so that fewer calls tell as much. */
  spawns: boolean;
  open(): Promise<OpenHost>;
}

const programs = fileURLToPath(new URL('programs', import.meta.url));
const manifest = new URL('../http-call/plugins/BenchEcho/plugin-manifest.json', import.meta.url);
const { capabilities } = JSON.parse(readFileSync(manifest, 'utf8'));

const LANGUAGES = [
  { language: 'Node', interpreter: 'node', file: 'echo.mjs' },
  { language: 'Python', interpreter: 'python3', file: 'echo.py' },
] as const;

const MODES = [
  { mode: 'spawn', label: 'a process a call', communication: {}, spawns: true },
  { mode: 'standby', label: 'standby', communication: { standby: true }, spawns: true },
  { mode: 'worker', label: 'worker', communication: { mode: 'worker' }, spawns: false },
] as const;

/** `execute()` as the server does it: arguments and output checked, result and record in SQLite before the answer. */
async function openOurs(interpreter: string, file: string, communication: JsonObject): Promise<OpenHost> {
  const runtime = await openNodeRuntime(
    [
      {
        name: 'BenchEcho',
        command: interpreter,
        args: [file],
        directory: programs,
        more: { communication: { protocol: 'stdio', timeoutMs: 60_000, ...communication }, capabilities },
      },
    ],
    { store: 'sqlite', limits: { standbyProcesses: DEFAULT_LIMITS.standbyProcesses } },
  );
  return {
    call: async (input) => {
      const result = await runtime.call('BenchEcho', { ...input });
      if (result.status !== 'success') throw new Error(JSON.stringify(result.error));
      return result.data as unknown as EchoOutput;
    },
    close: runtime.close,
  };
}

async function openMcp(): Promise<OpenHost> {
  // Its packages are installed for the benchmark alone, so the compiler does not follow this import.
  const peer = new URL('../http-call/peers/mcp-stdio-client.ts', import.meta.url).href;
  const { openMcpStdio } = (await import(peer)) as { openMcpStdio(): Promise<OpenHost> };
  return await openMcpStdio();
}

export const contenders: readonly Contender[] = [
  ...LANGUAGES.flatMap(({ language, interpreter, file }) =>
    MODES.map(({ mode, label, communication, spawns }) => ({
      id: `${interpreter}-${mode}`,
      label: `${language}, ${label}`,
      spawns,
      open: () => openOurs(interpreter, file, communication),
    })),
  ),
  { id: 'mcp', label: 'MCP SDK v1 client and server, Node', spawns: false, open: openMcp },
];
