import { expect, it } from 'vitest';
import { createPreparedGuests } from '../../../adapters/node/wasm/prepared-guests.ts';
import type { Guest } from '../../../src/sandbox/guest/prepare-guest.ts';

const MEGABYTE = 1024 * 1024;

/** Guests that only have a size. */
const open = (bytes = MEGABYTE) => {
  const made: { readonly digest: string; readonly guest: Guest }[] = [];
  const guests = createPreparedGuests(async (digest) => {
    if (digest === 'bad') throw new Error('it does not start');
    const guest = { bytes, run: () => Promise.reject(new Error('not run here')) };
    made.push({ digest, guest });
    return guest;
  });
  return { guests, made };
};

it('hands an instance that was made ahead out once', async () => {
  const { guests, made } = open();
  expect(await guests.prepare('a')).toBe(true);
  expect(await guests.prepare('a')).toBe(true);
  expect(made).toHaveLength(1);
  const first = await guests.take('a');
  expect(first).toBe(made[0]?.guest);
  expect(await guests.take('a')).not.toBe(first);
});

it('keeps those of the modules that were used last', async () => {
  const { guests, made } = open();
  for (const digest of ['a', 'b', 'c', 'd', 'e']) await guests.prepare(digest);
  expect(await guests.take('e')).toBe(made[4]?.guest);
  expect(await guests.take('a')).not.toBe(made[0]?.guest);
});

it('keeps no more memory than it may', async () => {
  const { guests, made } = open(20 * MEGABYTE);
  await guests.prepare('a');
  await guests.prepare('b');
  expect(await guests.take('b')).toBe(made[1]?.guest);
  expect(await guests.take('a')).not.toBe(made[0]?.guest);
  const large = open(40 * MEGABYTE);
  expect(await large.guests.prepare('a')).toBe(false);
});

it('leaves a module that does not start to its call', async () => {
  const { guests } = open();
  expect(await guests.prepare('bad')).toBe(false);
  await expect(guests.take('bad')).rejects.toThrow('it does not start');
});

it('forgets what a module that is gone has waiting', async () => {
  const { guests, made } = open();
  await guests.prepare('a');
  guests.forget('a');
  expect(await guests.take('a')).not.toBe(made[0]?.guest);
});
