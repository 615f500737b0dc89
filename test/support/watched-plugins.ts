// The plugins of real directories, watched as a server watches them, without the server around them.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModuleLoader } from '../../adapters/node/module-loader.ts';
import { createNodePluginSource } from '../../adapters/node/plugins/node-plugin-source.ts';
import { reloadOnChange } from '../../adapters/node/plugins/reload-on-change.ts';
import type { WatchOne } from '../../adapters/node/plugins/watch-directories.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/lib/limits.ts';
import type { LogFields } from '../../src/ports/logger.ts';
import type { PluginLocation } from '../../src/ports/transport.ts';
import { createLiveRegistry } from '../../src/registry/tool-registry.ts';
import { createPluginService } from '../../src/runtime/plugin-service.ts';
import { createDirectTransport } from '../../src/transport/direct/direct-transport.ts';
import { manifestOf, type PluginSpec } from './manifest.ts';
import { createMemorySwitches } from './plugin-service.ts';

export type WatchedPlugins = Awaited<ReturnType<typeof openWatchedPlugins>>;

export const openWatchedPlugins = async (
  options: {
    /** Directories below the temporary one; `plugins` unless told otherwise. */
    readonly directories?: readonly string[];
    readonly mode?: 'true' | 'poll' | 'false';
    readonly watchOne?: WatchOne;
    readonly limits?: Partial<Limits>;
    readonly digests?: Set<string>;
    prepare?(root: string): void;
  } = {},
) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'vcp-test-watch-')));
  const { directories = ['plugins'], mode = 'true', digests = new Set<string>() } = options;
  if (directories.includes('plugins')) mkdirSync(join(root, 'plugins'));
  options.prepare?.(root);
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const logged: { readonly event: string; readonly fields: LogFields }[] = [];
  const log = (event: string, fields: LogFields = {}) => void logged.push({ event, fields });
  const logger = { debug: log, info: log, warn: log, error: log };
  const trust = { digests, bundledDirectories: [], maxFiles: limits.pluginFiles };
  const loader = createModuleLoader(trust);
  const source = createNodePluginSource({
    pluginDirectories: () => directories.map((directory) => join(root, directory)),
    environment: {},
    limits,
    trust,
    loader,
    logger,
  });
  const registry = createLiveRegistry();
  const retired: PluginLocation[] = [];
  const direct = createDirectTransport(loader, limits);
  const looks = { count: 0 };
  const service = createPluginService({
    registry,
    source: {
      ...source,
      read: () => {
        looks.count += 1;
        return source.read();
      },
    },
    switches: createMemorySwitches(),
    transports: { direct, stdio: { ...direct, retire: (plugin) => void retired.push(plugin) } },
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    logger,
  });
  await service.reload();
  const stop = await reloadOnChange({
    mode,
    service,
    directories: source.directories,
    files: [join(root, 'config.env')],
    limits,
    logger,
    ...(options.watchOne === undefined ? {} : { watchOne: options.watchOne }),
  });
  return {
    root,
    plugins: join(root, 'plugins'),
    registry,
    service,
    source,
    direct,
    retired,
    logged,
    looks,
    /** Versions by name. */
    served: () => Object.fromEntries(registry.list().map(({ manifest: { name, version } }) => [name, version])),
    close: () => {
      stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
};

/** Writes a plugin that runs `sh -c`; it is judged, not called. */
export const writeManifest = (
  directory: string,
  name: string,
  version = '1.0.0',
  more: Readonly<Record<string, unknown>> = {},
  spec: Partial<PluginSpec> = {},
): string => {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'plugin-manifest.json');
  writeFileSync(path, JSON.stringify(manifestOf({ name, ...spec, more: { version, ...more } })));
  return path;
};
