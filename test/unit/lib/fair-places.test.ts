import { describe, expect, it } from 'vitest';
import { createFairPlaces } from '../../../src/lib/fair-places.ts';
import { QueueFull } from '../../../src/lib/semaphore.ts';

const patient = () => new AbortController().signal;
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Places whose holders are noted as they come in, and leave one by one. */
const open = (count: number, queue: number) => {
  const places = createFairPlaces(count, queue);
  const inside: { readonly name: string; readonly release: () => void }[] = [];
  const come = (name: string, signal = patient()) =>
    places.acquire(name.slice(0, 1), signal).then((release) => void inside.push({ name, release }));
  const leave = async (name: string) => {
    const at = inside.findIndex((holder) => holder.name === name);
    inside.splice(at, 1)[0]?.release();
    await turn();
  };
  return { come, leave, names: () => inside.map(({ name }) => name) };
};

describe('fair places', () => {
  it('are never all held by one group', async () => {
    const { come, names } = open(3, 10);
    for (const name of ['a1', 'a2', 'a3', 'b1']) void come(name);
    await turn();
    expect(names()).toEqual(['a1', 'a2', 'b1']);
  });

  it('are one for whoever comes first where there is only one', async () => {
    const { come, leave, names } = open(1, 10);
    for (const name of ['a1', 'b1']) void come(name);
    await turn();
    expect(names()).toEqual(['a1']);
    await leave('a1');
    expect(names()).toEqual(['b1']);
  });

  it('go to groups in turn, and inside of one to who came first', async () => {
    const { come, leave, names } = open(1, 10);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void come(name);
    await turn();
    const order = names();
    for (let left = 5; left > 0; left -= 1) {
      await leave(order.at(-1) as string);
      order.push(...names());
    }
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('go past a group that has all it may have', async () => {
    const { come, leave, names } = open(2, 10);
    for (const name of ['a1', 'b1', 'a2', 'a3', 'b2']) void come(name);
    await turn();
    await leave('b1');
    expect(names()).toEqual(['a1', 'b2']);
    await leave('b2');
    expect(names()).toEqual(['a1']);
    await leave('a1');
    expect(names()).toEqual(['a2']);
  });

  it('let no more wait than may', async () => {
    const { come } = open(1, 2);
    for (const name of ['a1', 'a2', 'a3']) void come(name);
    await expect(come('a4')).rejects.toBeInstanceOf(QueueFull);
  });

  it('make room in a full queue for a group that has less waiting', async () => {
    const { come, leave, names } = open(1, 2);
    void come('a1');
    void come('a2');
    const last = come('a3');
    void come('b1');
    await expect(last).rejects.toBeInstanceOf(QueueFull);
    await expect(come('c1')).rejects.toBeInstanceOf(QueueFull);
    await leave('a1');
    await leave('a2');
    expect(names()).toEqual(['b1']);
  });

  it('forget who gives up waiting', async () => {
    const { come, leave, names } = open(1, 1);
    const controller = new AbortController();
    void come('a1');
    const waiting = come('b1', controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(come('b2', controller.signal)).rejects.toThrow('enough');
    void come('c1');
    await leave('a1');
    expect(names()).toEqual(['c1']);
  });

  it('are freed once, however often that is asked for', async () => {
    const places = createFairPlaces(2, 5);
    const release = await places.acquire('a', patient());
    await places.acquire('b', patient());
    release();
    release();
    await places.acquire('a', patient());
    let entered = false;
    void places.acquire('c', patient()).then(() => (entered = true));
    await turn();
    expect(entered).toBe(false);
  });
});
