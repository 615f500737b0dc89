import type { Limits } from '../../lib/limits.ts';
import type { SandboxLimits } from '../../ports/wasm-sandbox.ts';
import type { PluginManifest } from '../../protocol/manifest.ts';

/** The operator's limits that matter to a sandboxed plugin. */
export type WasmLimits = Pick<
  Limits,
  | 'wasmFuel'
  | 'wasmMemoryPages'
  | 'wasmHostBytes'
  | 'wasmHostCalls'
  | 'wasmOutputBytes'
  | 'wasmOutputNodes'
  | 'wasmLogBytes'
  | 'wasmHttpRequests'
  | 'wasmHttpBytes'
  | 'wasmHttpMs'
  | 'wasmKvBytes'
  | 'resourcesPerResult'
  | 'resourceBytesPerResult'
  | 'jsonDepth'
  | 'jsonNodes'
>;

/** What one run of a plugin may use up: what its manifest asks for, and never more than the operator allows. */
export const sandboxLimitsOf = (
  { limits: asked = {} }: Pick<PluginManifest, 'limits'>,
  allowed: Pick<WasmLimits, 'wasmFuel' | 'wasmMemoryPages' | 'wasmHostBytes' | 'wasmOutputBytes' | 'wasmLogBytes'>,
): SandboxLimits => ({
  fuel: Math.min(allowed.wasmFuel, asked.fuel ?? allowed.wasmFuel),
  memoryPages: Math.min(allowed.wasmMemoryPages, asked.memoryPages ?? allowed.wasmMemoryPages),
  hostBytes: allowed.wasmHostBytes,
  outputBytes: Math.min(allowed.wasmOutputBytes, asked.outputBytes ?? allowed.wasmOutputBytes),
  logBytes: Math.min(allowed.wasmLogBytes, asked.logBytes ?? allowed.wasmLogBytes),
});
