import { describeFault } from '../lib/describe-fault.ts';
import type { Limits } from '../lib/limits.ts';
import { messageOf } from '../lib/message-of.ts';
import type { Clock } from '../ports/clock.ts';
import { boundLogger, type Logger } from '../ports/logger.ts';
import { InboxItem } from '../protocol/inbox.ts';
import { InboxFault } from './inbox-client.ts';
import { takeItem, type TakeItemDependencies } from './take-item.ts';

export type PullDependencies = TakeItemDependencies & {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: Pick<Limits, 'inboxLookMs' | 'inboxLongestWaitMs'>;
};

/** Looks into the inbox of a receiver. */
export type InboxPuller = {
  /**
   * Takes all that is in it and acknowledges what was taken, or never can be. What cannot be taken now is left, and keeps
   * nothing waiting but what belongs to its task. Tells whether nothing is left. Throws `InboxFault` when the receiver
   * does not answer.
   */
  look(signal: AbortSignal): Promise<boolean>;
};

type Trouble = { readonly failures: number; readonly notBefore: number; readonly message: string };

/** Tasks whose items are taken at once: the bytes of one may take a while to come. */
const TASKS_AT_ONCE = 4;

export const createInboxPuller = (dependencies: PullDependencies): InboxPuller => {
  const { client, clock, limits } = dependencies;
  /** Items that could not be taken, by their ids. */
  const troubles = new Map<string, Trouble>();

  const postpone = (id: string, error: unknown, logger: Logger): void => {
    const earlier = troubles.get(id);
    const failures = (earlier?.failures ?? 0) + 1;
    const waitMs = Math.min(limits.inboxLongestWaitMs, limits.inboxLookMs * 2 ** (failures - 1));
    const message = messageOf(error);
    troubles.set(id, { failures, notBefore: clock.monotonic() + waitMs, message });
    // It may fail for as long as a disk is full; that is told when it begins.
    if (earlier?.message !== message) logger.error('inbox.item-not-taken', { fault: describeFault(error) });
  };

  /** Whether the item is done with. */
  const attend = async (given: unknown, held: Set<string>, signal: AbortSignal): Promise<boolean> => {
    const parsed = InboxItem.safeParse(given);
    if (!parsed.success) {
      const id = textOf(given, 'id');
      if (!troubles.has(id))
        postpone(
          id,
          new InboxFault('it is none that this version reads'),
          boundLogger(dependencies.logger, { itemId: id }),
        );
      return false;
    }
    const item = parsed.data;
    const { id, taskId, toolName, kind } = item;
    const logger = boundLogger(dependencies.logger, { itemId: id, taskId, toolName, kind });
    // The end of a task does not overtake what could not be taken before it.
    if (held.has(taskId)) return false;
    if (clock.monotonic() < (troubles.get(id)?.notBefore ?? 0)) {
      held.add(taskId);
      return false;
    }
    try {
      const outcome = await takeItem(item, signal, dependencies);
      troubles.delete(id);
      const level = outcome !== 'taken' ? 'warn' : kind === 'progress' ? 'debug' : 'info';
      logger[level](outcome === 'taken' ? 'inbox.item-taken' : 'inbox.item-dropped', { verdict: outcome });
      return true;
    } catch (error) {
      held.add(taskId);
      if (!signal.aborted) postpone(id, error, logger);
      return false;
    }
  };

  return {
    look: async (signal) => {
      const held = new Set<string>();
      const seen = new Set<string>();
      let isWhole = true;
      for (let after: string | null = null; ;) {
        const { items, nextAfter } = await client.list(after, signal);
        const done: string[] = [];
        const waiting = Map.groupBy(items, (item) => textOf(item, 'taskId')).values();
        const attendSome = async (): Promise<void> => {
          for (const ofTask of waiting)
            for (const item of ofTask) {
              if (signal.aborted) return;
              const id = textOf(item, 'id');
              seen.add(id);
              if (await attend(item, held, signal)) done.push(id);
              else isWhole = false;
            }
        };
        await Promise.all(Array.from({ length: TASKS_AT_ONCE }, attendSome));
        if (done.length > 0) await client.acknowledge(done, signal);
        if (signal.aborted) return false;
        if (nextAfter !== null) {
          after = nextAfter;
          continue;
        }
        for (const id of troubles.keys()) if (!seen.has(id)) troubles.delete(id);
        return isWhole;
      }
    },
  };
};

/** A field as the receiver says it; what is no item need not have one. */
const textOf = (given: unknown, field: 'id' | 'taskId'): string =>
  String((given as Readonly<Record<string, unknown>> | null)?.[field]).slice(0, 64);
