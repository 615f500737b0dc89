import { describe, expect, it } from 'vitest';
import { createDeadline } from '../../../src/lib/deadline.ts';
import { CallStopped, TransportError } from '../../../src/ports/transport.ts';
import type { ProgressReport } from '../../../src/protocol/stdio-frame.ts';
import { createWorkerSession } from '../../../src/transport/stdio/worker-session.ts';
import { sampleIds } from '../../support/sample-calls.ts';

const open = (cancelGraceMs = 60_000) => {
  const lines: unknown[] = [];
  const seen = { ignoredCancels: 0, ended: 0 };
  const session = createWorkerSession({
    write: (line) => void lines.push(JSON.parse(line)),
    onIgnoredCancel: () => void (seen.ignoredCancels += 1),
    onEnded: () => void (seen.ended += 1),
    cancelGraceMs,
  });
  const send = (signal = new AbortController().signal, hasTask = false) => {
    const id = sampleIds.next('invocation');
    const progress: ProgressReport[] = [];
    const frame = {
      vcp: 'tool-invocation',
      version: '1.0',
      invocationId: id,
      payload: { context: hasTask ? { task: {} } : {} },
    } as never;
    const reply = session.send({ frame, signal, reportProgress: (report) => void progress.push(report) });
    return { id, reply, progress };
  };
  const answer = (invocationId: string | undefined, payload: {} = { status: 'success' }) =>
    session.push({ vcp: 'tool-result', version: '1.0', invocationId, payload });
  return { session, lines, seen, send, answer };
};

const because = (message: string) => () => new TransportError('TRANSPORT_FAILURE', message);

describe('a session with a worker', () => {
  it('gives every answer to its call, in whatever order they come', async () => {
    const { send, answer, session, lines } = open();
    const [first, second] = [send(), send()];
    expect(lines).toMatchObject([{ invocationId: first.id }, { invocationId: second.id }]);
    expect(answer(second.id, 2)).toBeNull();
    expect(answer(first.id, 1)).toBeNull();
    expect(await first.reply).toEqual({ payload: 1, warnings: [] });
    expect(await second.reply).toEqual({ payload: 2, warnings: [] });
    expect({ inFlight: session.inFlight, total: session.total }).toEqual({ inFlight: 0, total: 2 });
  });

  it('names what is wrong with a frame', async () => {
    const { send, answer } = open();
    const { id, reply } = send();
    expect(answer(undefined)).toMatch(/invocationId/);
    expect(answer(sampleIds.next('invocation'))).toMatch(/not given/);
    expect(answer(id)).toBeNull();
    await reply;
    expect(answer(id)).toMatch(/twice/);
  });

  it('drops progress of a call that is over', () => {
    const { session, send } = open();
    const { id, progress } = send();
    const report = { stage: 'half', progress: 0.5, message: null };
    session.push({ vcp: 'progress', version: '1.0', invocationId: id, payload: report });
    const late = {
      vcp: 'progress',
      version: '1.0',
      invocationId: sampleIds.next('invocation'),
      payload: report,
    } as const;
    expect(session.push(late)).toBeNull();
    expect(progress).toEqual([report]);
  });

  it('ends a stopped call at once, and its place when the plugin has given it up', async () => {
    const { session, lines, send, answer, seen } = open();
    const deadline = createDeadline({ now: 0, timeoutMs: 60_000 });
    const { id, reply } = send(deadline.signal);
    deadline.shutDown();
    const stopped = await reply.catch((error: unknown) => error);
    expect(stopped).toBeInstanceOf(CallStopped);
    expect(stopped).toMatchObject({ reason: 'cancelled' });
    expect(lines.at(-1)).toEqual({ vcp: 'cancel', version: '1.0', invocationId: id });
    expect({ inFlight: session.inFlight, stopping: session.stopping }).toEqual({ inFlight: 1, stopping: 1 });
    expect(answer(id)).toBeNull();
    await (stopped as CallStopped).work;
    expect({ inFlight: session.inFlight, stopping: session.stopping }).toEqual({ inFlight: 0, stopping: 0 });
    expect(seen).toEqual({ ignoredCancels: 0, ended: 1 });
    deadline.dispose();
  });

  it('tells when a stopped call does not end', async () => {
    const { send, seen, session } = open(1);
    const controller = new AbortController();
    const { reply } = send(controller.signal);
    controller.abort();
    await expect(reply).rejects.toMatchObject({ reason: 'cancelled' });
    await expect.poll(() => seen.ignoredCancels, { timeout: 20_000 }).toBe(1);
    session.end(because('killed'));
    expect(session.stopping).toBe(0);
  });

  it('does not begin a call that was stopped before', async () => {
    const { send, lines } = open();
    await expect(send(AbortSignal.abort()).reply).rejects.toBeInstanceOf(CallStopped);
    expect(lines).toEqual([]);
  });

  it('ends every call, and says which was the only one at work', async () => {
    const { session, send } = open();
    const alone: boolean[] = [];
    const end = () =>
      session.end((isAlone) => {
        alone.push(isAlone);
        return new TransportError('TRANSPORT_FAILURE', 'gone');
      });
    const single = send();
    end();
    await expect(single.reply).rejects.toMatchObject({ message: 'gone' });
    const pair = [send(), send()];
    end();
    for (const { reply } of pair) await expect(reply).rejects.toMatchObject({ message: 'gone' });
    expect(alone).toEqual([true, false, false]);
  });

  describe('with a task', () => {
    const accepted = {
      status: 'accepted',
      data: null,
      task: { id: 'task_01JABCDEFGHJKMNPQRSTVWXYZ0', state: 'running' },
    };
    const begin = async () => {
      const parts = open();
      const call = parts.send(undefined, true);
      expect(parts.answer(call.id, accepted)).toBeNull();
      const { background } = await call.reply;
      return { ...parts, ...call, background: background! };
    };

    it('keeps the place of a call that has accepted it, and hears of its progress', async () => {
      const { session, id, progress, background, seen } = await begin();
      expect(session.inFlight).toBe(1);
      const report = { stage: 'half', progress: 0.5, message: null };
      expect(session.push({ vcp: 'progress', version: '1.0', invocationId: id, payload: report })).toBeNull();
      expect(progress).toEqual([report]);
      background.release();
      expect(await background.ended).toBeNull();
      expect([session.inFlight, seen.ended]).toEqual([0, 1]);
    });

    it('takes no second answer while it goes on', async () => {
      const { answer, id } = await begin();
      expect(answer(id)).toMatch(/twice/);
    });

    it('tells the worker to stop, and lets it say that it has', async () => {
      const { background, lines, answer, id } = await begin();
      background.stop();
      expect(await background.ended).toBeNull();
      expect(lines.at(-1)).toEqual({ vcp: 'cancel', version: '1.0', invocationId: id });
      expect(answer(id, { status: 'cancelled' })).toBeNull();
      expect(answer(id, { status: 'cancelled' })).toMatch(/twice/);
    });

    it('fails it with the worker', async () => {
      const { background, session } = await begin();
      session.end(because('killed'));
      expect(await background.ended).toMatchObject({
        code: 'TRANSPORT_FAILURE',
        message: 'the worker ended before the task had a result',
      });
    });

    it('is none where the call had none to accept', async () => {
      const { send, answer, session } = open();
      const { id, reply } = send();
      answer(id, accepted);
      expect((await reply).background).toBeUndefined();
      expect(session.inFlight).toBe(0);
    });
  });
});
