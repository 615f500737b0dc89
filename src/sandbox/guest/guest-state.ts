import type {
  HostCall,
  HostFunctionName,
  SandboxFault,
  SandboxLimits,
  SandboxUsage,
} from '../../ports/wasm-sandbox.ts';
import { createFuelMeter, type FuelMeter } from './fuel-meter.ts';
import { createHostBlocks, type HostBlocks } from './host-blocks.ts';
import { createLogBudget, type LogBudget } from './log-budget.ts';

/** One run, as the guest's side of a sandbox is asked for it. */
export type GuestRequest = {
  readonly exportName: string;
  readonly input: Uint8Array;
  readonly limits: SandboxLimits;
  /** Why each function that the module imports is not granted; null where it is. */
  readonly refusals: Readonly<Partial<Record<HostFunctionName, string | null>>>;
};

/** What a host function answered: a JSON object as text, and bytes that go with it. */
export type GuestAnswer = { readonly text: string; readonly bytes: Uint8Array | null };

/** How a guest's host functions reach who carries them out. */
export type GuestChannel = {
  /** Raises `GuestFault` when the guest has misused the function. */
  call(call: HostCall): Promise<GuestAnswer>;
  /** Nobody waits for a log line of Extism's own functions. */
  log(call: HostCall): void;
};

export type GuestEnd = (
  | { readonly type: 'output'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'fault'; readonly fault: SandboxFault; readonly message: string }
) & { readonly usage: SandboxUsage };

/** What the host functions of one instance share. An instance serves one run, so nothing here is ever reset. */
export type GuestState = {
  readonly blocks: HostBlocks;
  readonly fuel: FuelMeter;
  readonly log: LogBudget;
  readonly variables: Map<string, Uint8Array>;
  /** Null while the module starts. */
  run: { readonly request: GuestRequest; readonly channel: GuestChannel } | null;
  inputAddress: bigint;
  input: DataView;
  output: { readonly address: bigint; readonly length: number } | null;
  error: bigint;
};

export const createGuestState = (): GuestState => ({
  blocks: createHostBlocks(),
  fuel: createFuelMeter(),
  log: createLogBudget(),
  variables: new Map(),
  run: null,
  inputAddress: 0n,
  input: new DataView(new ArrayBuffer(0)),
  output: null,
  error: 0n,
});
