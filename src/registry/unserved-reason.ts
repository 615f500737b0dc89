import type { PluginManifest } from '../protocol/manifest.ts';

/** What a runtime may lack. */
export type ServedKinds = {
  /** Whether there is a sandbox for WebAssembly plugins. */
  readonly wasm: boolean;
  /** Why it starts no processes, as a whole clause; absent where it does. */
  readonly noProcesses?: string;
  /** Why it keeps no placeholders up to date, as a whole clause; absent where it does. */
  readonly noPlaceholders?: string;
};

/**
 * What a manifest asks for and this version, on this runtime, cannot do, or null. Such a plugin is refused at start
 * with this reason: a limit or a grant that is not there must never be taken for one that is.
 */
export const unservedReason = (manifest: PluginManifest, served: ServedKinds): string | null => {
  const { communication, entryPoint, limits = {}, permissions = {} } = manifest;
  const isGuest = entryPoint.type === 'wasm';
  const isModule = communication.protocol === 'direct' && !isGuest;
  const isService = manifest.pluginType === 'service' || manifest.pluginType === 'hybridservice';
  const { noProcesses, noPlaceholders } = served;
  const unserved: readonly (readonly [asked: boolean, what: string])[] = [
    [isGuest && !served.wasm, 'this server has no sandbox for WebAssembly plugins'],
    [entryPoint.type === 'command' && noProcesses !== undefined, `it is a process of its own, and ${noProcesses}`],
    [
      manifest.pluginType === 'static' && noPlaceholders !== undefined,
      `pluginType "static" keeps placeholders up to date, and ${noPlaceholders}`,
    ],
    [
      communication.protocol === 'distributed' || communication.protocol === 'mcp',
      `protocol "${communication.protocol}" is not served by this version`,
    ],
    [
      isModule && !isService && manifest.configSchema !== undefined,
      'configSchema is not served by this version for a module inside the server, unless it is a service',
    ],
    [
      !isGuest && (limits.memoryPages !== undefined || limits.fuel !== undefined),
      'limits.memoryPages and limits.fuel can only be held for WebAssembly plugins',
    ],
    [
      isModule && (limits.outputBytes !== undefined || limits.logBytes !== undefined),
      'limits.outputBytes and limits.logBytes cannot be held for a module inside the server',
    ],
    [!isGuest && Object.keys(permissions).length > 0, 'permissions can only be granted to WebAssembly plugins'],
  ];
  return unserved.find(([asked]) => asked)?.[1] ?? null;
};
