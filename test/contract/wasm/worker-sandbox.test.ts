import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { createWorkerSandbox } from '../../../adapters/node/wasm/worker-sandbox.ts';
import { sandboxModule } from '../../support/sandbox-module.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import { describeWasmSandbox } from '../suites/wasm-sandbox.ts';

describeWasmSandbox('worker threads', async () => ({
  sandbox: createWorkerSandbox({ limits: DEFAULT_LIMITS, logger: silentLogger }),
  module: sandboxModule,
  hasDeadlines: true,
}));
