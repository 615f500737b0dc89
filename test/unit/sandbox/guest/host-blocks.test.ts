import { describe, expect, it } from 'vitest';
import { createHostBlocks, type HostBlocks } from '../../../../src/sandbox/guest/host-blocks.ts';

const open = (bytes = 100_000): HostBlocks => {
  const blocks = createHostBlocks();
  blocks.limit(bytes);
  return blocks;
};
const faultOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as { fault: string }).fault;
  }
  return 'none';
};

describe('host blocks', () => {
  it('hold bytes and words, little endian', () => {
    const blocks = open();
    const block = blocks.allocate(16);
    blocks.storeWord(block + 8n, 0x1122334455667788n);
    blocks.storeByte(block, 7);
    expect(blocks.loadByte(block + 8n)).toBe(0x88);
    expect(blocks.loadWord(block)).toBe(7n);
    expect(blocks.sizeOf(block)).toBe(16);
    expect([...blocks.bytesFrom(block + 14n, 'it')]).toEqual([0x22, 0x11]);
  });

  it('have addresses that a JSON number holds exactly, also the last one', () => {
    const blocks = open(10_000_000);
    let last = 0n;
    for (let made = 0; made < 30_000; made += 1) last = blocks.allocate(0);
    expect(BigInt(JSON.parse(String(last)) as number)).toBe(last);
    expect(Number.isSafeInteger(Number(2n ** 21n - 1n) * 2 ** 32)).toBe(true);
    expect(blocks.sizeOf(last)).toBe(0);
  });

  it.each([0n, -1n, 5n, 2n ** 32n + 9n, 2n ** 33n, 2n ** 62n, -(2n ** 63n)])('take %d for no address', (address) => {
    const blocks = open();
    blocks.allocate(8);
    expect(faultOf(() => blocks.loadByte(address))).toBe('host-misuse');
    expect(faultOf(() => blocks.storeWord(address, 1n))).toBe('host-misuse');
    expect(faultOf(() => blocks.bytesFrom(address, 'it'))).toBe('host-misuse');
    expect(blocks.sizeOf(address)).toBe(0);
    blocks.free(address);
    expect(blocks.loadByte(2n ** 32n)).toBe(0);
  });

  it('do not exist any more when they were freed, twice too', () => {
    const blocks = open();
    const block = blocks.allocate(8);
    blocks.free(block);
    blocks.free(block);
    expect(faultOf(() => blocks.loadByte(block))).toBe('host-misuse');
    // Freeing it twice has not made two blocks of one.
    expect(blocks.allocate(8)).not.toBe(blocks.allocate(8));
  });

  it('are refused before they are made when they are too much', () => {
    const blocks = open(1_000);
    expect(faultOf(() => blocks.allocate(2 ** 50))).toBe('out-of-host-memory');
    const first = blocks.allocate(500);
    expect(faultOf(() => blocks.allocate(500))).toBe('out-of-host-memory');
    blocks.free(first);
    expect(faultOf(() => blocks.allocate(500))).toBe('none');
  });

  it('cost something even when they are empty', () => {
    const blocks = open(10_000);
    expect(
      faultOf(() => {
        for (;;) blocks.allocate(0);
      }),
    ).toBe('out-of-host-memory');
  });
});
