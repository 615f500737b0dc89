// A call that is over, one way or another, leaves no process behind, and soon.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  CANCELLED,
  detailsOf,
  ECHO,
  expectUnharmed,
  SUCCESS,
  TIMEOUT,
  TRANSPORT_FAILURE,
  verdictOf,
  warningCodes,
} from '../../support/call-expectations.ts';
import { openNodeRuntime, type NodeRuntime } from '../../support/node-runtime.ts';
import { processesWith, until } from '../../support/processes.ts';

/** The promise is 2 seconds; the rest is for a busy machine. */
const END_WITHIN_MS = 2_000 + 1_000;

const shell = (name: string, text: string) => ({ name, command: './run.sh', args: [text] });

const stubborn = [
  { name: 'IgnoresNode', command: 'node', args: ['ignores-sigterm.mjs'] },
  { name: 'IgnoresPython', command: 'python3', args: ['ignores-sigterm.py'] },
  shell('Sleeps', 'sleep 600'),
  shell('SleepsInGroup', 'sleep 600 & sleep 600'),
  // Without its environment a process can only be found by its group.
  shell('SleepsNamelessly', 'env -i /bin/sh -c "sleep 600; :" "$VCP_PLUGIN_DATA_DIR" & sleep 600'),
  shell('ClosesOutput', 'exec 1>&- 2>&-; sleep 600'),
  { name: 'HangsWithGrandchild', command: 'python3', args: ['grandchild.py', 'hangs'] },
  { name: 'HangsWithDaemon', command: 'python3', args: ['grandchild.py', 'hangs-closed'] },
];

let host: NodeRuntime;
beforeAll(async () => {
  host = await openNodeRuntime([
    ECHO,
    ...stubborn,
    shell('GrandchildInGroup', 'sleep 600 & echo "$FRAME"'),
    shell('GrandchildNameless', 'env -i /bin/sh -c "sleep 600; :" "$VCP_PLUGIN_DATA_DIR" & echo "$FRAME"'),
    { name: 'GrandchildHolds', command: 'python3', args: ['grandchild.py', 'holds'] },
    { name: 'GrandchildDaemon', command: 'python3', args: ['grandchild.py', 'closed'] },
    shell('Lingers', 'echo "$FRAME"; exec sleep 600'),
    shell('LingersStubbornly', `trap '' TERM; echo "$FRAME"; while :; do sleep 1; done`),
    shell('EndsItselfLate', 'echo "$FRAME"; sleep 0.3'),
    shell('TwoFramesAndStays', 'echo "$FRAME"; echo "$FRAME"; exec sleep 600'),
    shell('BannerAndStays', 'echo hello; exec sleep 600'),
    shell('Killed', 'kill -9 $$'),
    shell('Crashed', 'kill -SEGV $$'),
    shell('KilledAfterItsFrame', 'echo "$FRAME"; kill -9 $$'),
    shell('Answers', 'echo "$FRAME" ; exit 0'),
    shell('AnswersWhenAsked', `trap 'echo "$FRAME"; exit 0' TERM; sleep 600 & wait`),
  ]);
});
afterEach(() => expectUnharmed(host));
afterAll(() => host.close());

const started = (tool: string) =>
  until(`${tool} runs`, () =>
    processesWith(`plugins/${tool}`).some(({ command }) => !command.startsWith('python3 -I')),
  );

describe('the deadline', () => {
  it.each(stubborn.map(({ name }) => name))('ends %s within 2 s', async (tool) => {
    const result = await host.call(tool, {}, { timeoutMs: 400 });
    expect(verdictOf(result)).toEqual(TIMEOUT);
    expect(result.error?.retryable).toBe(true);
    expect(detailsOf(result)).toMatchObject({ limit: 'timeoutMs' });
    expect(result.execution.timeoutMs).toBe(400);
    expect(result.execution.durationMs).toBeLessThan(400 + END_WITHIN_MS);
  });

  it('tells what the process said on stderr until then', async () => {
    const result = await host.call('IgnoresPython', {}, { timeoutMs: 1_500 });
    expect(detailsOf(result)).toEqual({ limit: 'timeoutMs', timeoutMs: 1_500, stderr: 'started' });
  });

  it('counts from the call on, so a frame that comes after it is not the result', async () => {
    const result = await host.call('AnswersWhenAsked', {}, { timeoutMs: 300 });
    expect(verdictOf(result)).toEqual(TIMEOUT);
    expect(result.data).toBeNull();
  });
});

describe('a cancelled call', () => {
  it.each(stubborn.map(({ name }) => name))('ends %s within 2 s', async (tool) => {
    const controller = new AbortController();
    const call = host.call(tool, {}, { signal: controller.signal });
    await started(tool);
    const cancelledAt = performance.now();
    controller.abort();
    const result = await call;
    expect(performance.now() - cancelledAt).toBeLessThan(END_WITHIN_MS);
    expect(verdictOf(result)).toEqual(CANCELLED);
  });

  it('starts nothing when it was cancelled before', async () => {
    const result = await host.call('Sleeps', {}, { signal: AbortSignal.abort() });
    expect(verdictOf(result)).toEqual(CANCELLED);
    expect(processesWith(host.dataDirectory)).toEqual([]);
  });

  it('is cancelled whichever moment of its start is chosen', async () => {
    for (let delay = 0; delay < 12; delay += 1) {
      const controller = new AbortController();
      const call = host.call('Sleeps', {}, { signal: controller.signal });
      setTimeout(() => controller.abort(), delay);
      expect(verdictOf(await call)).toEqual(CANCELLED);
    }
  });
});

describe('what a process leaves behind', () => {
  it.each(['GrandchildInGroup', 'GrandchildNameless', 'GrandchildHolds', 'GrandchildDaemon'])(
    'is ended, and its result counts: %s',
    async (tool) => {
      const result = await host.call(tool);
      expect(verdictOf(result)).toEqual(SUCCESS);
      expect(result.execution.durationMs).toBeLessThan(END_WITHIN_MS);
    },
  );

  it('does not delay a result when the process takes a little while to end', async () => {
    const result = await host.call('EndsItselfLate');
    expect(verdictOf(result)).toEqual(SUCCESS);
    expect(warningCodes(result)).toEqual([]);
  });

  it.each(['Lingers', 'LingersStubbornly'])(
    'is ended with a warning when it stays after its frame: %s',
    async (tool) => {
      const result = await host.call(tool);
      expect(verdictOf(result)).toEqual(SUCCESS);
      expect(warningCodes(result)).toEqual(['PROCESS_LINGERED']);
      expect(result.execution.durationMs).toBeLessThan(2_000 + END_WITHIN_MS);
    },
  );

  it('is ended at once when a second terminal frame has decided the call', async () => {
    const result = await host.call('TwoFramesAndStays');
    expect(verdictOf(result).code).toBe('INVALID_TOOL_RESULT');
    expect(result.execution.durationMs).toBeLessThan(END_WITHIN_MS);
  });

  it('waits for the exit code of a process that printed something else, up to the deadline', async () => {
    const result = await host.call('BannerAndStays', {}, { timeoutMs: 400 });
    expect(verdictOf(result)).toEqual(TIMEOUT);
  });
});

describe('death by a signal', () => {
  it.each([
    ['Killed', 'SIGKILL'],
    ['Crashed', 'SIGSEGV'],
    ['KilledAfterItsFrame', 'SIGKILL'],
  ])('%s: %s', async (tool, signal) => {
    const result = await host.call(tool);
    expect(verdictOf(result)).toEqual(TRANSPORT_FAILURE);
    expect(detailsOf(result)).toMatchObject({ exitCode: null, signal });
    expect(result.error?.retryable).toBe(false);
  });
});
