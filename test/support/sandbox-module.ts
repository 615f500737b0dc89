import { createHash } from 'node:crypto';
import type { SandboxModule } from '../../src/ports/wasm-sandbox.ts';
import { instrumentModule } from '../../src/sandbox/instrument-module.ts';
import { DEFAULT_MODULE_RULES, type ModuleRules } from '../../src/sandbox/module-rules.ts';
import { compileGuest, type GuestText } from './guest-wat.ts';

/** A guest as the server would have it: compiled, checked and instrumented. */
export const sandboxModule = async (
  guest: GuestText,
  memoryPages = 64,
  rules: Partial<ModuleRules> = {},
): Promise<SandboxModule> => {
  const verdict = instrumentModule(compileGuest(guest), { ...DEFAULT_MODULE_RULES, ...rules, memoryPages });
  if (!verdict.ok) throw new Error(verdict.reason);
  const { bytes } = verdict.module;
  return { digest: createHash('sha256').update(bytes).digest('hex'), bytes, compiled: null };
};
