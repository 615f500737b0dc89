import { GuestFault } from './guest-fault.ts';

/** The exported global that instrumented code counts down. */
export type FuelGlobal = { value: bigint };

export type FuelMeter = {
  /** Takes fuel for what the host does on the guest's behalf. Raises `out-of-fuel` when none is left. */
  charge(units: number): void;
  /** Connects the guest's own counter and fills it. */
  connect(global: FuelGlobal, units: number): void;
  /** What is left, below 0 when it was overdrawn. */
  left(): number;
};

/** Units that may be owed before the guest's counter is touched: reaching it costs more than most host functions. */
const OWED_UNITS = 10_000;

/** What a module may have the host do while it starts, before it has a counter. */
const START_UNITS = 1_000_000;

export const createFuelMeter = (): FuelMeter => {
  let counter: FuelGlobal | null = null;
  let owed = 0;

  const settle = () => {
    if (counter === null) {
      if (owed > START_UNITS) throw new GuestFault('out-of-fuel', 'the module used up its fuel while it started');
      return;
    }
    const left = counter.value - BigInt(Math.ceil(owed));
    owed = 0;
    counter.value = left;
    if (left < 0n) throw new GuestFault('out-of-fuel', 'the fuel of this call is used up');
  };

  return {
    charge: (units) => {
      owed += units;
      if (owed > OWED_UNITS) settle();
    },
    connect: (global, units) => {
      counter = global;
      owed = 0;
      counter.value = BigInt(units);
    },
    left: () => (counter === null ? 0 : Number(counter.value) - Math.ceil(owed)),
  };
};
