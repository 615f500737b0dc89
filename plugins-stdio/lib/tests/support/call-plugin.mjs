import { spawn } from 'node:child_process';

/**
 * Runs a plugin's own process for one call and resolves with its payload. `shellPrefix` is what a shell does before,
 * such as setting a limit.
 */
export async function callPlugin(
  pluginDirectory,
  dataDirectory,
  args,
  { shellPrefix, resourceDir, environment = {} } = {},
) {
  const program = [process.execPath, 'main.mjs'];
  const [command, commandArgs] =
    shellPrefix === undefined
      ? [program[0], program.slice(1)]
      : ['sh', ['-c', `${shellPrefix}; exec "$0" "$@"`, ...program]];
  const child = spawn(command, commandArgs, {
    cwd: pluginDirectory,
    env: { PATH: process.env.PATH, VCP_PLUGIN_DATA_DIR: dataDirectory, ...environment },
  });
  const context = { invocationId: 'ti_test', resourceDir, deadline: new Date(Date.now() + 60_000).toISOString() };
  const payload = { command: args.command, arguments: args, context };
  child.stdin.end(`${JSON.stringify({ vcp: 'tool-invocation', version: '1.0', payload })}\n`);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk) => (stderr += chunk));
  const exit = await new Promise((resolve) => child.on('close', resolve));
  if (exit !== 0) throw new Error(`exit ${exit}: ${stderr}`);
  return JSON.parse(stdout).payload;
}
