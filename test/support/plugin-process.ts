import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { StdoutFrame } from '../../src/protocol/stdio-frame.ts';
import { until } from './processes.ts';

export type PluginProgram = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
};

/** A plugin's process as a host sees it, without a host: what is written to it, byte for byte, and what it says. */
export type PluginProcess = {
  readonly child: ChildProcess;
  write(bytes: string | Uint8Array): void;
  endInput(): void;
  /** Every line of stdout so far, checked to be a frame. */
  frames(): StdoutFrame[];
  /** The frames of one kind, once there are `count` of them. */
  received(kind: StdoutFrame['vcp'], count: number): Promise<StdoutFrame[]>;
  stderr(): string;
  /** Exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
};

/** A frame comes, or the process ends, well within this also on a busy machine. */
const PATIENCE_MS = 20_000;

export const startPluginProcess = (
  program: PluginProgram,
  environment: Readonly<Record<string, string>>,
): PluginProcess => {
  const child = spawn(program.command, program.args, {
    cwd: program.cwd,
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A process that was ended does not read any more.
  child.stdin.on('error', () => undefined);

  const frames = (): StdoutFrame[] => {
    const lines = Buffer.concat(stdout).toString('utf8').split('\n').slice(0, -1);
    return lines.map((line) => StdoutFrame.parse(JSON.parse(line)));
  };
  const received: PluginProcess['received'] = async (kind, count) => {
    const found = () => frames().filter((frame) => frame.vcp === kind);
    await until(`${count} ${kind} frames`, () => found().length >= count || child.exitCode !== null, PATIENCE_MS);
    return found();
  };
  return {
    child,
    write: (bytes) => void child.stdin.write(bytes),
    endInput: () => void child.stdin.end(),
    frames,
    received,
    stderr: () => Buffer.concat(stderr).toString('utf8'),
    ended: once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string),
  };
};

/** One line of stdin that starts a call. `invocationId` stands at the top in worker mode only. */
export const invocationLine = (
  command: string,
  args: unknown,
  { invocationId, context = {} }: { invocationId?: string; context?: Record<string, unknown> } = {},
): string =>
  `${JSON.stringify({
    vcp: 'tool-invocation',
    version: '1.0',
    ...(invocationId === undefined ? {} : { invocationId }),
    payload: { command, arguments: args, context },
  })}\n`;

export const cancelLine = (invocationId: string): string =>
  `${JSON.stringify({ vcp: 'cancel', version: '1.0', invocationId })}\n`;
