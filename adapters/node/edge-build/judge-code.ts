import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Limits } from '../../../src/lib/limits.ts';
import { ISOLATE_GUEST_PAGES } from '../../cloudflare/isolate-sandbox.ts';
import { moduleRefusal, type ModuleTrust } from '../module-loader.ts';
import { createWasmModuleSource } from '../wasm/module-source.ts';
import type { EdgeVerdict, JudgeCode } from './edge-plugin.ts';
import { workerFault } from './worker-fault.ts';

/** Instruments guests as a server does, and looks at modules as they would be in a worker. */
export const createJudgeCode = (limits: Limits, trust: ModuleTrust): JudgeCode => {
  const modules = createWasmModuleSource(limits);

  return async (plugin): Promise<EdgeVerdict> => {
    const { entryPoint, limits: asked = {} } = plugin.manifest;
    if (entryPoint.type === 'wasm') {
      if ((asked.memoryPages ?? 0) > ISOLATE_GUEST_PAGES)
        return {
          refusal: `it asks for limits.memoryPages ${asked.memoryPages}, and all guests of a worker have ${ISOLATE_GUEST_PAGES} together`,
        };
      const refusal = await modules.prepare(plugin);
      if (refusal !== null) return { refusal };
      const guest = await modules.load(plugin);
      // A module source on Node gives bytes always; what was compiled cannot be written to a file.
      return { code: { type: 'guest', guest: { ...guest, bytes: guest.bytes as Uint8Array<ArrayBuffer> } } };
    }
    const refusal = moduleRefusal(plugin, trust);
    if (refusal !== null || entryPoint.type !== 'module') return { refusal: refusal ?? 'it has no module' };
    const path = realpathSync(join(plugin.directory as string, entryPoint.file));
    const fault = await workerFault(path);
    return fault === null ? { code: { type: 'module', path } } : { refusal: fault };
  };
};
