import { GuestFault } from './guest-fault.ts';

/** The memory blocks that a guest and its host hand to each other: byte arrays outside of the guest's own memory. */
export type HostBlocks = {
  /** Bytes that all blocks together may take from now on. */
  limit(bytes: number): void;
  /** Gives the address of a new block of zeros. */
  allocate(size: number): bigint;
  /** Takes bytes over as a block; nobody else may change them. */
  adopt(bytes: Uint8Array): bigint;
  /** Counts bytes that are no block and are kept as long as the guest. */
  take(bytes: number): void;
  /** What is no block's address is none of the guest's business and stays as it is. */
  free(address: bigint): void;
  /** 0 for what is no block. */
  sizeOf(address: bigint): number;
  /** The block's bytes from `address` on, not copied. */
  bytesFrom(address: bigint, what: string): Uint8Array;
  loadByte(address: bigint): number;
  loadWord(address: bigint): bigint;
  storeByte(address: bigint, value: number): void;
  storeWord(address: bigint, value: bigint): void;
};

/** The address of block n is n × 4 GiB: guests add an offset, and JSON numbers hold it exactly. */
const SPAN = 2 ** 32;
const MOST_BLOCKS = 2 ** 21 - 1;
/** What a block takes beside its content. */
const OVERHEAD_BYTES = 256;
/** While a module starts it is not yet known which call it will serve. */
const START_BYTES = 1024 * 1024;

/**
 * Blocks whose number and bytes are bounded before they are made. Extism's own table makes a block first and keeps it
 * also when it was too much, and its addresses repeat after 32,768 blocks.
 */
export const createHostBlocks = (): HostBlocks => {
  const views: (DataView | null)[] = [null];
  const unused: number[] = [];
  let limitBytes = START_BYTES;
  let usedBytes = 0;
  /** Where in its block the address that `viewAt` was asked for lies. */
  let offset = 0;

  const viewAt = (address: bigint, width: number, what?: string): DataView => {
    const flat = Number(address);
    const index = Math.floor(flat / SPAN);
    const view = views[index] ?? null;
    offset = flat - index * SPAN;
    if (view === null || offset + width > view.byteLength) {
      const which = what ?? `address ${BigInt.asUintN(64, address)}`;
      throw new GuestFault('host-misuse', `${which} is not inside a memory block`);
    }
    return view;
  };

  const take = (bytes: number) => {
    if (usedBytes + bytes > limitBytes) {
      throw new GuestFault(
        'out-of-host-memory',
        `memory blocks of ${limitBytes} bytes in all are allowed, and ${usedBytes + bytes} were asked for`,
      );
    }
    usedBytes += bytes;
  };

  const place = (make: () => DataView, size: number): bigint => {
    take(size + OVERHEAD_BYTES);
    const index = unused.pop() ?? views.length;
    if (index > MOST_BLOCKS) throw new GuestFault('out-of-host-memory', `more than ${MOST_BLOCKS} memory blocks`);
    views[index] = make();
    return BigInt(index * SPAN);
  };

  /** The block that begins at this address, or 0. */
  const indexOf = (address: bigint): number => {
    const index = Number(address) / SPAN;
    return Number.isInteger(index) && (views[index] ?? null) !== null ? index : 0;
  };

  return {
    limit: (bytes) => {
      limitBytes = bytes;
    },
    take,
    allocate: (size) => place(() => new DataView(new ArrayBuffer(size)), size),
    adopt: (bytes) => place(() => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes.byteLength),
    free: (address) => {
      const index = indexOf(address);
      if (index === 0) return;
      usedBytes -= (views[index] as DataView).byteLength + OVERHEAD_BYTES;
      views[index] = null;
      unused.push(index);
    },
    sizeOf: (address) => views[indexOf(address)]?.byteLength ?? 0,
    bytesFrom: (address, what) => {
      const view = viewAt(address, 0, what);
      return new Uint8Array(view.buffer, view.byteOffset + offset, view.byteLength - offset);
    },
    loadByte: (address) => viewAt(address, 1).getUint8(offset),
    loadWord: (address) => viewAt(address, 8).getBigUint64(offset, true),
    storeByte: (address, value) => viewAt(address, 1).setUint8(offset, value),
    storeWord: (address, value) => viewAt(address, 8).setBigUint64(offset, value, true),
  };
};
