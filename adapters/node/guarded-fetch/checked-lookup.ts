import { lookup } from 'node:dns/promises';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { addressRefusal, type AddressRange } from '../../../src/lib/address-policy.ts';
import { boundedResolve, type ResolveName } from './bounded-resolve.ts';

/** One for the whole process, whose threads it spares: libuv has four, unless it is told otherwise. */
export const resolveBySystem: ResolveName = boundedResolve((name) => lookup(name, { all: true }), {
  atOnce: 2,
  queue: 256,
  waitMs: 10_000,
});

/** Raised inside a connection attempt when a name leads to where nobody may be sent. */
export class BlockedAddress extends Error {
  override readonly name = 'BlockedAddress';
}

type Answer = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * A `lookup` for sockets that answers only with addresses it has checked: the socket connects to these and asks no second
 * time, so a name that changes its answer in between gains nothing. One refused address refuses the name.
 */
export const checkedLookup =
  (resolve: ResolveName, allowed: readonly AddressRange[]) =>
  (name: string, options: LookupOptions, answer: Answer): void => {
    resolve(name).then(
      (addresses) => {
        const fitting = addresses.filter(({ family }) => !options.family || options.family === family);
        const [first] = fitting;
        const refusal = addresses
          .map(({ address }) => addressRefusal(address, allowed))
          .find((reason) => reason !== null);
        if (refusal !== undefined) answer(new BlockedAddress(`an address of ${name} is not open: ${refusal}`), []);
        else if (first === undefined) answer(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), []);
        else if (options.all === true) answer(null, [...fitting]);
        else answer(null, first.address, first.family);
      },
      (error: unknown) => answer(error as Error, []),
    );
  };
