import { DEFAULT_MODULE_RULES } from '../../src/sandbox/module-rules.ts';
import { prepareModule } from '../../src/sandbox/prepare-module.ts';
import { COMPUTE, compileAssemblyScript } from './assembly-guests.ts';
import { quantile } from '../lib/quantile.ts';

const ROUNDS = 25;
const KERNELS = ['calls', 'memory_', 'floats', 'integers'] as const;

export interface FuelOverhead {
  kernel: string;
  plainMs: number;
  meteredMs: number;
}

/** The same work with and without instrumentation, in this thread, one round of each after the other. */
export async function measureFuelOverhead(): Promise<FuelOverhead[]> {
  const original = await compileAssemblyScript(COMPUTE);
  const prepared = await prepareModule(original, { ...DEFAULT_MODULE_RULES, memoryPages: 1_024 });
  if (!prepared.ok) throw new Error(prepared.reason);
  const nothing = (): never => {
    throw new Error('no host is there');
  };
  const env = new Proxy({}, { get: () => nothing });
  const open = async (bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Exports> =>
    (await WebAssembly.instantiate(await WebAssembly.compile(bytes), { 'extism:host/env': env })).exports;
  const plain = await open(original);
  const metered = await open(prepared.module.sandbox.bytes as Uint8Array<ArrayBuffer>);
  const fuel = metered['__vcp_fuel'] as WebAssembly.Global<'i64'>;

  return KERNELS.map((kernel) => {
    const times: { plain: number[]; metered: number[] } = { plain: [], metered: [] };
    const once = (exports: WebAssembly.Exports): { ms: number; value: number } => {
      fuel.value = 2n ** 62n;
      const started = performance.now();
      const value = (exports[kernel] as () => number)();
      return { ms: performance.now() - started, value };
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const [a, b] = [once(plain), once(metered)];
      if (a.value !== b.value) throw new Error(`${kernel}: ${a.value} became ${b.value}`);
      times.plain.push(a.ms);
      times.metered.push(b.ms);
    }
    return { kernel, plainMs: quantile(times.plain, 0.25), meteredMs: quantile(times.metered, 0.25) };
  });
}
