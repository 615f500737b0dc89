import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { stopReasonOf } from '../../../src/lib/deadline.ts';
import {
  CallStopped,
  TransportError,
  type PluginLocation,
  type TransportAdapter,
  type TransportCall,
  type TransportLimits,
} from '../../../src/ports/transport.ts';
import type { ToolInvocationFrame } from '../../../src/protocol/stdio-frame.ts';
import { createFrameReader } from '../../../src/transport/stdio/frame-reader.ts';
import { judgeOutcome, type ProcessExit } from '../../../src/transport/stdio/judge-outcome.ts';
import { childEnvironment } from './child-environment.ts';
import { startChild, type Child, type ChildSpec } from './child-process.ts';
import { resolveInterpreter } from './resolve-interpreter.ts';

export type StdioTransportOptions = {
  readonly limits: TransportLimits;
  /** Directory below which every plugin has its own data directory. */
  readonly pluginDataRoot: string;
  /** The declared configuration of a plugin, as environment variables. */
  configurationOf(plugin: PluginLocation): Readonly<Record<string, string>>;
};

/** Milliseconds that a process may stay after its terminal frame before it is ended. */
const LINGER_MS = 2_000;

/** One process a call (§11): the frame goes in, stdin closes, frames come out, the process ends. */
export const createStdioTransport = (options: StdioTransportOptions): TransportAdapter => {
  const running = new Set<Child>();
  let closing = false;
  // A host that ends without closing us (a second signal, an uncaught fault) must not leave processes behind.
  const onExit = () => {
    for (const child of running) child.kill();
  };
  process.on('exit', onExit);

  return {
    execute: async (call) => {
      const spec = await childSpecOf(call.plugin, options);
      const frame = await invocationFrameOf(call);
      if (closing) throw new TransportError('TRANSPORT_FAILURE', 'the server is shutting down', null, true);
      if (call.signal.aborted) throw stoppedBy(call.signal);
      return await runOnce(call, spec, `${JSON.stringify(frame)}\n`, limitsOf(call.plugin, options.limits), running);
    },
    close: async () => {
      closing = true;
      await Promise.all([...running].map((child) => child.stop()));
      process.off('exit', onExit);
    },
  };
};

/** A manifest may ask for less than the server allows, not for more. */
const limitsOf = ({ manifest }: PluginLocation, limits: TransportLimits): TransportLimits => ({
  ...limits,
  frameBytes: Math.min(limits.frameBytes, manifest.limits?.outputBytes ?? Number.POSITIVE_INFINITY),
  stderrBytes: Math.min(limits.stderrBytes, manifest.limits?.logBytes ?? Number.POSITIVE_INFINITY),
});

const runOnce = async (
  call: TransportCall,
  spec: ChildSpec,
  input: string,
  limits: TransportLimits,
  running: Set<Child>,
) => {
  const reader = createFrameReader(limits);
  const terminalPayloads: unknown[] = [];
  let lingering: NodeJS.Timeout | undefined;
  let lingered = false;

  const onFrames = (frames: ReturnType<typeof reader.push>) => {
    for (const frame of frames) {
      if (frame.vcp === 'progress') {
        call.reportProgress(frame.payload);
      } else if (terminalPayloads.length < 2 && terminalPayloads.push(frame.payload) === 1) {
        lingering = setTimeout(() => {
          lingered = true;
          void child.stop();
        }, LINGER_MS);
      }
    }
    // §11.1: oversize is judged at once; other faults wait for the exit code, which may tell a worse story.
    if (reader.fault?.kind === 'too-large' || terminalPayloads.length > 1) void child.stop();
  };

  const child = startChild(spec, limits, (chunk) => onFrames(reader.push(chunk)));
  running.add(child);
  const onAbort = () => void child.stop();
  call.signal.addEventListener('abort', onAbort, { once: true });
  try {
    child.write(input);
    child.endInput();
    const exit = await child.closed;
    onFrames(reader.end());
    if (call.signal.aborted) throw stoppedBy(call.signal, child.stderrTail());
    const judged: ProcessExit = { ...exit, lingered };
    return judgeOutcome({ terminalPayloads, fault: reader.fault, exit: judged, stderrTail: child.stderrTail() });
  } finally {
    clearTimeout(lingering);
    call.signal.removeEventListener('abort', onAbort);
    running.delete(child);
  }
};

const stoppedBy = (signal: AbortSignal, stderrTail = ''): CallStopped =>
  new CallStopped(stopReasonOf(signal), stderrTail === '' ? null : { stderr: stderrTail });

const childSpecOf = async (plugin: PluginLocation, options: StdioTransportOptions): Promise<ChildSpec> => {
  const { entryPoint, name } = plugin.manifest;
  if (entryPoint.type !== 'command' || plugin.directory === null) {
    throw new TransportError('INTERNAL_ERROR', `${name} has no command to start`);
  }
  const dataDirectory = join(options.pluginDataRoot, name);
  await mkdir(dataDirectory, { recursive: true });
  return {
    command: await resolveInterpreter(entryPoint.command),
    args: entryPoint.args,
    cwd: plugin.directory,
    env: childEnvironment({ dataDirectory, mode: 'oneshot', configuration: options.configurationOf(plugin) }),
  };
};

const invocationFrameOf = async (call: TransportCall): Promise<ToolInvocationFrame> => ({
  vcp: 'tool-invocation',
  version: '1.0',
  payload: {
    command: call.command.commandIdentifier,
    arguments: call.arguments,
    context: {
      invocationId: call.invocationId,
      requestId: call.requestId,
      toolName: call.plugin.manifest.name,
      source: call.source,
      actor: call.actor,
      requestIp: call.requestIp,
      deadline: new Date(call.deadline).toISOString(),
      resourceDir: await call.resourceDirectory(),
    },
  },
});
