import { expect } from 'vitest';
import type { JsonValue } from '../../src/protocol/json.ts';
import { callSample, success } from './memory-runtime.ts';
import { guestSandbox, type Guest } from './scripted-sandbox.ts';
import { createWasmRuntime, type WasmRuntimeOptions } from './wasm-runtime.ts';

/** What a guest does with the host. */
export type GuestStep = (host: Guest['host'], guest: Guest) => Promise<unknown>;

export const bytesOf = (text: string) => new TextEncoder().encode(text);
export const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

/** A runtime whose guest has these permissions; its data is what the step gives. */
export const guestRuntime = (permissions: object, step: GuestStep, options: WasmRuntimeOptions = {}) => {
  const { sandbox } = guestSandbox(async (guest) => success((await step(guest.host, guest)) ?? null));
  return createWasmRuntime(sandbox, { ...options, fields: { permissions, ...options.fields } });
};

/** What a guest with these permissions got to know; its call has to succeed. */
export const told = async (
  permissions: object,
  step: GuestStep,
  options: WasmRuntimeOptions = {},
  args: Record<string, unknown> = {},
) => {
  const result = await callSample(guestRuntime(permissions, step, options), args);
  expect(result.error).toBeNull();
  return result.data as JsonValue;
};
