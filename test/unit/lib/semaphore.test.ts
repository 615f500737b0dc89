import { describe, expect, it } from 'vitest';
import { createSemaphore, QueueFull } from '../../../src/lib/semaphore.ts';

const patient = () => new AbortController().signal;
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('a semaphore', () => {
  it('lets as many in as it has places', async () => {
    const semaphore = createSemaphore(2, 5);
    await semaphore.acquire(patient());
    await semaphore.acquire(patient());
    void semaphore.acquire(patient());
    await turn();
    expect([semaphore.running, semaphore.waiting]).toEqual([2, 1]);
  });

  it('serves in the order of arrival', async () => {
    const semaphore = createSemaphore(1, 5);
    const order: string[] = [];
    const first = await semaphore.acquire(patient());
    const later = ['a', 'b', 'c'].map(async (name) => {
      const release = await semaphore.acquire(patient());
      order.push(name);
      release();
    });
    first();
    await Promise.all(later);
    expect(order).toEqual(['a', 'b', 'c']);
    expect([semaphore.running, semaphore.waiting]).toEqual([0, 0]);
  });

  it('lets waiting callers in when it is given more places', async () => {
    const semaphore = createSemaphore(1, 5);
    await semaphore.acquire(patient());
    const waiting = [semaphore.acquire(patient()), semaphore.acquire(patient())];
    semaphore.resize(3);
    await Promise.all(waiting);
    expect([semaphore.running, semaphore.waiting]).toEqual([3, 0]);
  });

  it('lets nobody in until those are few enough who were there before it was given fewer places', async () => {
    const semaphore = createSemaphore(2, 5);
    const first = await semaphore.acquire(patient());
    const second = await semaphore.acquire(patient());
    void semaphore.acquire(patient());
    semaphore.resize(1);
    first();
    expect([semaphore.running, semaphore.waiting]).toEqual([1, 1]);
    second();
    expect([semaphore.running, semaphore.waiting]).toEqual([1, 0]);
  });

  it('turns callers away when its queue is full', async () => {
    const semaphore = createSemaphore(1, 1);
    await semaphore.acquire(patient());
    void semaphore.acquire(patient());
    await expect(semaphore.acquire(patient())).rejects.toBeInstanceOf(QueueFull);
  });

  it('turns everyone away without a queue', async () => {
    const semaphore = createSemaphore(1, 0);
    const release = await semaphore.acquire(patient());
    await expect(semaphore.acquire(patient())).rejects.toBeInstanceOf(QueueFull);
    release();
    await expect(semaphore.acquire(patient())).resolves.toBeTypeOf('function');
  });

  it('forgets who gives up waiting, and serves the next', async () => {
    const semaphore = createSemaphore(1, 5);
    const release = await semaphore.acquire(patient());
    const impatient = new AbortController();
    const gaveUp = semaphore.acquire(impatient.signal);
    const next = semaphore.acquire(patient());
    impatient.abort(new Error('enough'));
    await expect(gaveUp).rejects.toThrow('enough');
    release();
    await expect(next).resolves.toBeTypeOf('function');
    expect([semaphore.running, semaphore.waiting]).toEqual([1, 0]);
  });

  it('refuses a signal that has aborted already, also when a place is free', async () => {
    const semaphore = createSemaphore(1, 5);
    await expect(semaphore.acquire(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(semaphore.running).toBe(0);
  });

  it('counts a place once, however often it is released', async () => {
    const semaphore = createSemaphore(1, 5);
    const release = await semaphore.acquire(patient());
    release();
    release();
    release();
    expect(semaphore.running).toBe(0);
    await semaphore.acquire(patient());
    void semaphore.acquire(patient());
    await turn();
    expect([semaphore.running, semaphore.waiting]).toEqual([1, 1]);
  });

  it('is not disturbed by an abort after the place was given', async () => {
    const semaphore = createSemaphore(1, 5);
    const caller = new AbortController();
    const release = await semaphore.acquire(caller.signal);
    caller.abort();
    expect(semaphore.running).toBe(1);
    release();
    expect(semaphore.running).toBe(0);
  });
});
