// `npm run bench` lists the suites; `npm run bench -- <suite> [options]` runs one.
import { runChat } from './chat/run-chat.ts';
import { runHttpCall } from './http-call/run-http-call.ts';
import { runEdge } from './edge/run-edge.ts';
import { runInstruction } from './instruction/run-instruction.ts';
import { runPresent } from './present/run-present.ts';
import { runPush } from './push/run-push.ts';
import { runResources } from './resources/run-resources.ts';
import { runStdio } from './stdio/run-stdio.ts';
import { runDay } from './soak/run-day.ts';
import { runSoak } from './soak/run-soak.ts';
import { runWasm } from './wasm/run-wasm.ts';

const suites: Record<string, { run: (args: string[]) => Promise<void>; about: string }> = {
  'http-call': {
    run: runHttpCall,
    about:
      'one validated tool call over HTTP beside its peers [--seconds 5] [--warm-up 2] [--rounds 3] [--only ours,hono] [--ours "<command>"] [--write]',
  },
  chat: {
    run: runChat,
    about:
      'a streamed answer without calls beside a bare proxy: CPU and time to the first token [--seconds 5] [--warm-up 2] [--paced 200] [--rounds 5] [--ours "<command>"] [--write]',
  },
  stdio: {
    run: runStdio,
    about: 'calls of a stdio tool in every mode beside the MCP SDK [--paced 40] [--only node-worker,mcp] [--write]',
  },
  wasm: {
    run: runWasm,
    about:
      'a sandboxed WebAssembly call beside raw Extism, its limits and 100,000 calls [--calls 10000] [--long 100000] [--write]',
  },
  resources: {
    run: runResources,
    about:
      'results with files, as Base64 and by path, against the least work with such a file [--calls 10] [--ours "<command>"] [--write]',
  },
  present: {
    run: runPresent,
    about: 'an AI view of 100 to 100,000 rows with a budget of 30,000 characters [--rounds 30] [--write]',
  },
  push: {
    run: runPush,
    about:
      'ten events a second to thousands of WebSocket clients [--clients 2000] [--seconds 20] [--ours "<command>"] [--write]',
  },
  edge: {
    run: runEdge,
    about:
      'the same calls on Node, Deno and workerd: cold start, load, size of the worker [--seconds 3] [--warm-up 1] [--rounds 3] [--write]',
  },
  instruction: {
    run: runInstruction,
    about:
      'megabytes a second of the parser of the text protocol, on prose, code, calls and hostile text [--megabytes 4] [--rounds 7] [--only prose] [--write]',
  },
  soak: {
    run: runSoak,
    about:
      'thousands of calls, leaks, and what a kill -9 leaves [--direct-calls 10000] [--stdio-calls 500] [--stdio-tool SciCalculator] [--stdio-arguments <json>] [--stdio-expect 2] [--plugin-dirs <dirs>] [--ours "<command>"]',
  },
  day: {
    run: runDay,
    about:
      'a day of stdio calls in some minutes, with faults [--worker-calls 100000] [--oneshot-calls 2000] [--write] [--ours "<command>"]',
  },
};

// An `exit` handler stops each server, but a signal that nobody handles would skip it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const [name, ...args] = process.argv.slice(2);
const suite = suites[name ?? ''];
if (suite) {
  try {
    await suite.run(args);
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
} else {
  for (const [id, { about }] of Object.entries(suites)) console.error(`${id}: ${about}`);
  process.exitCode = name === undefined ? 0 : 2;
}
