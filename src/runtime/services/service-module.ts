import type { Logger } from '../../ports/logger.ts';
import type { VcpEvent } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { EventFilter } from '../../protocol/push.ts';

/** What a service is given when it starts. Nothing of it throws. */
export type ServiceContext = {
  /** The values of its configSchema, as environments have them. */
  readonly config: Readonly<Record<string, string>>;
  /** A directory of its own, which is there. */
  readonly dataDirectory: string;
  readonly logger: Logger;
  /** Aborts when the service is to end. */
  readonly signal: AbortSignal;
  /**
   * Pushes a message to the clients of every key that may use this plugin, as a `plugin_message`. False when it was not
   * pushed: it is no JSON object, too large, one of too many in a second, or the service has ended. The log says why.
   */
  push(name: string, message: JsonObject, options?: { readonly clientType?: string | null }): boolean;
  /**
   * Hears of every event that passes the filter, whoever owns it, but for its own messages and log lines. Gives the
   * function that ends it.
   */
  onEvent(filter: EventFilter, handler: (event: VcpEvent) => unknown): () => void;
};

/** A trusted module that runs beside calls: all of a `service`, or a part of a `hybridservice`. */
export type ServiceModule = {
  initialize(context: ServiceContext): unknown;
  shutdown?(): unknown;
};
