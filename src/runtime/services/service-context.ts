import type { EventHub } from '../../events/event-hub.ts';
import { checkJsonValue } from '../../lib/check-json-value.ts';
import { describeFault } from '../../lib/describe-fault.ts';
import { isJsonObject } from '../../lib/is-json-object.ts';
import type { Limits } from '../../lib/limits.ts';
import { messageOf } from '../../lib/message-of.ts';
import { createRateLimiter } from '../../lib/rate-limiter.ts';
import { utf8Size } from '../../lib/utf8-size.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LogFields, Logger } from '../../ports/logger.ts';
import type { VcpEvent } from '../../protocol/event.ts';
import { ClientType, EventFilter } from '../../protocol/push.ts';
import type { ServiceContext } from './service-module.ts';

export type ServiceEventsDependencies = {
  readonly hub: EventHub;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly limits: Limits;
  /** Must not make events of its lines: a service that fails on an event would be given another. */
  readonly logger: Logger;
};

const MOST_NAME = 128;

/** Lines of one kind that the log takes of what is wrong with a service. */
const COMPLAINTS = { requests: 20, windowSeconds: 60 };
const KINDS_OF_COMPLAINTS = 4;

/** What a service reaches of the events, until its signal aborts. */
export const createServiceEvents = (
  plugin: string,
  signal: AbortSignal,
  { hub, clock, limits, logger }: ServiceEventsDependencies,
): Pick<ServiceContext, 'push' | 'onEvent'> => {
  const now = () => Math.floor(clock.monotonic());
  const rates = createRateLimiter(1);
  const complaints = createRateLimiter(KINDS_OF_COMPLAINTS);
  const rate = { requests: limits.pluginPushesPerSecond, windowSeconds: 1 };
  let told = '';

  /** A service may be wrong at every event there is, and fills no log. */
  const complain = (level: 'warn' | 'error', event: string, fields: LogFields) => {
    if (complaints.take(event, COMPLAINTS, now()).isAllowed) logger[level](event, fields);
  };

  /** A reason is told when it is another than the last one. */
  const refuse = (reason: string): false => {
    if (reason !== told) complain('warn', 'service.not-pushed', { reason });
    told = reason;
    return false;
  };

  const pushed: ServiceContext['push'] = (name, message, options) => {
    if (signal.aborted) return false;
    const clientType = options?.clientType ?? null;
    if (!rates.take('', rate, now()).isAllowed) return refuse(`more than ${rate.requests} messages in a second`);
    if (typeof name !== 'string' || name === '' || name.length > MOST_NAME)
      return refuse(`the name of a message has 1 to ${MOST_NAME} characters`);
    if (clientType !== null && !ClientType.safeParse(clientType).success)
      return refuse('clientType has 1 to 64 letters, digits, "_", "." or "-"');
    if (!isJsonObject(message)) return refuse('a message is an object');
    const fault = checkJsonValue(message, limits);
    if (fault !== null) return refuse(`the message at ${fault.pointer || '(root)'} ${fault.message}`);
    const text = JSON.stringify(message);
    if (utf8Size(text) > limits.eventBytes) return refuse(`a message has at most ${limits.eventBytes} bytes of JSON`);
    told = '';
    // A copy: the service may go on to change what it pushed.
    const data = { plugin, name, message: structuredClone(message) };
    hub.emit(
      { type: 'plugin_message', toolName: plugin, data },
      { audience: { to: 'everyone', tool: plugin }, clientType },
    );
    return true;
  };

  /** Who pushes from a timer has nobody who would catch what is raised. */
  const push: ServiceContext['push'] = (...given) => {
    try {
      return pushed(...given);
    } catch (error) {
      return refuse(`the message cannot be read: ${messageOf(error)}`);
    }
  };

  const onEvent: ServiceContext['onEvent'] = (given, handler) => {
    const filter = EventFilter.safeParse(given);
    if (signal.aborted || !filter.success) {
      if (!filter.success) complain('warn', 'service.bad-filter', { reason: filter.error.message });
      return () => undefined;
    }
    return listen(filter.data, handler);
  };

  const listen = (filter: EventFilter, handler: (event: VcpEvent) => unknown): (() => void) => {
    let waiting: VcpEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    let hasEnded = false;

    const failed = (error: unknown) => complain('error', 'service.handler-failed', { fault: describeFault(error) });
    const hand = (event: VcpEvent) => {
      try {
        // A copy: what the service does with it is its own affair.
        Promise.resolve(handler(structuredClone(event))).catch(failed);
      } catch (error) {
        failed(error);
      }
    };
    /** Not at once: whoever emits an event must not wait for what services do with it. */
    const flush = () => {
      timer = null;
      const events = waiting;
      waiting = [];
      for (const event of events) if (!hasEnded) hand(event);
      subscription.resume();
    };
    const isOwn = ({ type, toolName }: VcpEvent): boolean =>
      toolName === plugin && (type === 'plugin_message' || type === 'vcp_log');

    const subscribe = () =>
      hub.subscribe(
        {
          viewer: { id: `plugin:${plugin}`, seesEverything: true, clientType: '*', mayUseTool: () => true },
          filter,
        },
        {
          isReady: () => waiting.length < limits.pushQueueEvents,
          take: (_, event) => {
            if (isOwn(event)) return;
            waiting.push(event);
            timer ??= setTimeout(flush, 0);
          },
          gap: () => undefined,
          overtaken: () => {
            complain('warn', 'service.events-lost', { reason: 'it was too slow to hear of all events' });
            subscription = subscribe();
          },
        },
      );
    let subscription = subscribe();

    const end = () => {
      hasEnded = true;
      clearTimeout(timer ?? undefined);
      subscription.end();
      signal.removeEventListener('abort', end);
    };
    signal.addEventListener('abort', end, { once: true });
    return end;
  };

  return { push, onEvent };
};
