import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { convertV4MiniflareOptions, CorePaths, Miniflare } from 'miniflare';

export type RunningWorker = {
  /** Without a slash at its end. */
  readonly url: string;
  /** The worker's own socket, with none of Miniflare's programs before it. */
  readonly directUrl: URL;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Wakes it as the Cron trigger of these times does, and resolves when it has ended. */
  wake(cron: string): Promise<void>;
  /** What it has logged. */
  readonly logged: readonly string[];
  close(): Promise<void>;
};

/** Starts what `vcp edge build` has written, in workerd. Its stores are gone afterwards, unless a directory keeps them. */
export const startWorker = async (
  directory: string,
  variables: Readonly<Record<string, string>>,
  stores: string | null = null,
): Promise<RunningWorker> => {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted();
  const others = files.filter((file) => file.endsWith('.js') && file !== 'worker.js');
  const logged: string[] = [];
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      cf: false,
      modulesRoot: directory,
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      modules: [
        { type: 'ESModule', path: join(directory, 'worker.js') },
        ...others.map((file) => ({ type: 'ESModule' as const, path: join(directory, file) })),
        ...files
          .filter((file) => file.endsWith('.wasm'))
          .map((file) => ({ type: 'CompiledWasm' as const, path: join(directory, file) })),
      ],
      compatibilityDate: '2026-11-01',
      compatibilityFlags: ['nodejs_compat', 'enable_request_signal'],
      r2Buckets: ['RESOURCES'],
      d1Databases: ['DATABASE'],
      durableObjects: { EVENTS: { className: 'EventObject', useSQLite: true } },
      bindings: { ...variables },
      unsafeTriggerHandlers: true,
      handleStructuredLogs: ({ message }) => void logged.push(message),
    }),
    ...(stores === null ? {} : { resourcePersistencePath: stores }),
  });
  const url = await miniflare.ready;
  return {
    url: url.origin,
    directUrl: await miniflare.unsafeGetDirectURL(),
    fetch: (path, init) => fetch(new URL(path, url), init),
    wake: async (cron) => {
      const woken = await fetch(new URL(`${CorePaths.SCHEDULED}?${new URLSearchParams({ cron })}`, url));
      if (woken.status !== 200) throw new Error(`the scheduled handler failed: ${await woken.text()}`);
    },
    logged,
    close: () => miniflare.dispose(),
  };
};
