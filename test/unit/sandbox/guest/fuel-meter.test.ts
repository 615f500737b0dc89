import { describe, expect, it } from 'vitest';
import { createFuelMeter } from '../../../../src/sandbox/guest/fuel-meter.ts';

const faultOf = (work: () => void): string | null => {
  try {
    work();
  } catch (error) {
    return (error as { fault: string }).fault;
  }
  return null;
};

describe('a fuel meter', () => {
  it('takes from the counter of the guest what the host did for it', () => {
    const meter = createFuelMeter();
    const counter = { value: 0n };
    meter.connect(counter, 100_000);
    meter.charge(60_000);
    expect([counter.value, meter.left()]).toEqual([40_000n, 40_000]);
    counter.value -= 10_000n;
    expect(meter.left()).toBe(30_000);
  });

  it('counts small charges also before it touches the counter', () => {
    const meter = createFuelMeter();
    const counter = { value: 0n };
    meter.connect(counter, 100_000);
    meter.charge(3);
    meter.charge(4);
    expect([counter.value, meter.left()]).toEqual([100_000n, 99_993]);
  });

  it('ends a guest that has spent more than it had, by one charge or by many', () => {
    const once = createFuelMeter();
    once.connect({ value: 0n }, 20_000);
    expect(faultOf(() => once.charge(20_001))).toBe('out-of-fuel');
    expect(once.left()).toBe(-1);
    const often = createFuelMeter();
    often.connect({ value: 0n }, 20_000);
    expect(
      faultOf(() => {
        for (let charge = 0; charge < 100_000; charge += 1) often.charge(1);
      }),
    ).toBe('out-of-fuel');
  });

  it('bounds what a module has the host do before it has a counter, and forgets it then', () => {
    const meter = createFuelMeter();
    meter.charge(900_000);
    meter.connect({ value: 0n }, 5);
    expect(meter.left()).toBe(5);
    expect(faultOf(() => createFuelMeter().charge(1_000_001))).toBe('out-of-fuel');
  });
});
