import process from 'node:process';
import { serveCommand } from '../node/cli/serve.ts';
import { noProcessesOn, type DenoPermissions } from './no-processes.ts';

// The server on Deno: all that Node has, through Deno's Node API, within the permissions that it was started with.

const { Deno } = globalThis as { Deno?: { readonly permissions: DenoPermissions } };
if (Deno === undefined) {
  process.stderr.write('vcp: adapters/deno/main.ts is for Deno; on Node it is "vcp serve"\n');
  process.exit(2);
}
await serveCommand({ noProcesses: noProcessesOn(Deno.permissions) });
