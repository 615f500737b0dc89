import { describeFault } from '../../src/lib/describe-fault.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { Configuration, ConfigurationNote } from '../../src/server/configuration.ts';
import { lastAddress, noteAddress } from '../d1/last-address.ts';
import { migrateD1 } from '../d1/migrate-d1.ts';
import { variablesOf, type WorkerBindings } from './bindings.ts';
import { createConsoleLogger } from './console-logger.ts';
import type { SendingContext } from './events/event-sender.ts';
import { inItsCourse } from './events/in-its-course.ts';
import type { WorkerEvents } from './events/open-worker-events.ts';
import type { WorkerConnection } from './worker-connections.ts';

/** The part of a Cron trigger's event that is used. */
export type WorkerEvent = { readonly cron?: string };

/** What a worker exports as its default. */
export type Worker = {
  fetch(request: Request, bindings: WorkerBindings, context: SendingContext): Promise<Response>;
  scheduled(event: WorkerEvent, bindings: WorkerBindings, context: SendingContext): Promise<void>;
};

/** What an isolate serves. */
export type WorkerServer = {
  readonly app: { fetch(request: Request, connection: WorkerConnection): Response | Promise<Response> };
  /** Does work on behalf of a request: what it tells goes out by that. */
  readonly within: WorkerEvents['within'];
  /** What the Cron trigger of these times sees to. */
  upkeep(cron: string | undefined): Promise<void>;
  /** Whether it knows where it is reached, or need not know. */
  readonly hasAddress: boolean;
};

type ReadConfiguration =
  | {
      readonly ok: true;
      readonly configuration: Pick<Configuration, 'VCP_LOG_LEVEL'>;
      readonly warnings: readonly ConfigurationNote[];
    }
  | { readonly ok: false; readonly errors: readonly ConfigurationNote[] };

export type OpenWorkerOptions<Read> = {
  readonly bindings: WorkerBindings;
  readonly configuration: Extract<Read, { readonly ok: true }>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Tells the platform of work that goes on behind an answer. */
  readonly keepAlive: (work: Promise<unknown>) => void;
  /** Where the last request came in. */
  origin(): string;
};

export type WorkerLifeOptions<Read> = {
  read(variables: Readonly<Record<string, string>>): Read;
  /** Nothing here waits for the network: that belongs to the request that needs it. */
  open(options: OpenWorkerOptions<Read>): Promise<WorkerServer>;
  /** The platform's own: keeps the invocation alive in which it is called, whichever that is. */
  readonly waitUntil: (work: Promise<unknown>) => void;
};

type Opened = { readonly server: WorkerServer; readonly logger: Logger };

/** The life of a worker: an isolate puts its server together at its first request and keeps it for all that come after. */
export const createWorkerLife = <Read extends ReadConfiguration>(options: WorkerLifeOptions<Read>): Worker => {
  const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
  let opening: Promise<Opened | null> | null = null;
  let isMigrated = false;
  /** Where the last request came in. */
  let origin = '';
  let isNoted = false;

  const open = async (bindings: WorkerBindings): Promise<Opened | null> => {
    const configuration = options.read(variablesOf(bindings));
    const missing = (['RESOURCES', 'DATABASE'] as const).filter((name) => typeof bindings[name] !== 'object');
    if (!configuration.ok || missing.length > 0) {
      const logger = createConsoleLogger('info', clock.now);
      const errors = configuration.ok ? [] : configuration.errors;
      for (const { name, message } of errors) logger.error('configuration.invalid', { name, reason: message });
      for (const name of missing)
        logger.error('configuration.invalid', { name, reason: 'is not bound; see docs/edge.md' });
      return null;
    }
    const logger = createConsoleLogger(configuration.configuration.VCP_LOG_LEVEL, clock.now);
    for (const { name, message } of configuration.warnings)
      logger.warn('configuration.unknown', { name, reason: message });
    const found = configuration as Extract<Read, { readonly ok: true }>;
    try {
      const server = await options.open({
        bindings,
        configuration: found,
        clock,
        logger,
        keepAlive: options.waitUntil,
        origin: () => origin,
      });
      return { logger, server };
    } catch (error) {
      logger.error('server.not-opened', { fault: describeFault(error) });
      return null;
    }
  };

  /** Each request that comes too early looks itself: what one request waits for, another must not depend on. */
  const migrate = async ({ DATABASE }: WorkerBindings): Promise<void> => {
    if (isMigrated) return;
    await migrateD1(DATABASE, clock.now);
    isMigrated = true;
  };

  /** An isolate that the platform wakes may not have been asked for anything: others tell it where the worker is reached. */
  const noteOrigin = ({ server, logger }: Opened, { DATABASE }: WorkerBindings): void => {
    if (isNoted || server.hasAddress) return;
    isNoted = true;
    const noted = noteAddress(DATABASE, origin).catch((error: unknown) =>
      logger.warn('address.not-noted', { fault: describeFault(error) }),
    );
    options.waitUntil(noted);
  };
  const recallOrigin = async ({ server, logger }: Opened, { DATABASE }: WorkerBindings): Promise<void> => {
    if (origin !== '' || server.hasAddress) return;
    const noted = await lastAddress(DATABASE);
    // A request may have come meanwhile.
    origin ||= noted ?? '';
    if (origin === '') logger.warn('address.unknown', { reason: 'nobody has asked this worker for anything yet' });
  };

  const serve = async (request: Request, bindings: WorkerBindings, context: SendingContext): Promise<Response> => {
    ({ origin } = new URL(request.url));
    const opened = await (opening ??= open(bindings));
    if (opened === null) return unavailable('the worker is not configured as it must be; its log says why');
    try {
      await migrate(bindings);
    } catch (error) {
      opened.logger.error('database.not-migrated', { fault: describeFault(error) });
      return unavailable('the database cannot be used; the log says why');
    }
    noteOrigin(opened, bindings);
    const { app, within } = opened.server;
    return await within(context, async () =>
      inItsCourse(await app.fetch(request, { request } satisfies WorkerConnection)),
    );
  };

  return {
    fetch: (request, bindings, context) => {
      const answer = serve(request, bindings, context);
      // A call whose client has gone still has a result to be stored.
      context.waitUntil(answer.catch(() => undefined));
      return answer;
    },
    scheduled: async ({ cron }, bindings, context) => {
      const opened = await (opening ??= open(bindings));
      if (opened === null) return;
      await migrate(bindings);
      await recallOrigin(opened, bindings);
      const { within, upkeep } = opened.server;
      await within(context, () => upkeep(cron));
    },
  };
};

/** Before there is a server, nobody can be told more: who asks has shown no key. */
const unavailable = (detail: string): Response =>
  Response.json(
    { type: 'about:blank', title: 'Service Unavailable', status: 503, code: 'NOT_READY', detail },
    { status: 503, headers: { 'content-type': 'application/problem+json', 'retry-after': '30' } },
  );
