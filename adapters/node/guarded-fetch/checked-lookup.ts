import { lookup } from 'node:dns/promises';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { addressRefusal, type AddressRange } from '../../../src/lib/address-policy.ts';

/** All addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

export const resolveBySystem: ResolveName = (name) => lookup(name, { all: true });

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
