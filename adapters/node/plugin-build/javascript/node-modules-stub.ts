import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

const NAMESPACE = 'vcp-absent';

/**
 * Lets a library `require` a module of Node in a branch that it never takes in a sandbox: the call throws there. An
 * `import` of one stays a fault of the build.
 */
export const nodeModulesStub: Plugin = {
  name: 'vcp-node-modules-stub',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: NAMESPACE } : null,
    );
    build.onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`a sandboxed plugin has no module "${path}"`)});`,
    }));
  },
};
