import { createInboxClient } from '../../src/inbox/inbox-client.ts';
import { createInboxPuller } from '../../src/inbox/pull-inbox.ts';
import { watchInbox, type InboxWatch } from '../../src/inbox/watch-inbox.ts';
import type { Limits } from '../../src/lib/limits.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { FinishDependencies } from '../../src/runtime/tasks/finish-task.ts';
import type { Configuration } from '../../src/server/configuration.ts';
import { systemTimers } from '../../src/ports/timers.ts';

export type InboxOptions = {
  readonly configuration: Pick<Configuration, 'VCP_INBOX_URL' | 'VCP_INBOX_KEY'>;
  readonly finishing: FinishDependencies;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: Limits;
};

/** The inbox of the receiver that the configuration names, not looked into yet; without one, nothing is asked of anybody. */
export const openInbox = ({ configuration, ...parts }: InboxOptions): InboxWatch => {
  const { VCP_INBOX_URL: url, VCP_INBOX_KEY: key } = configuration;
  if (url === undefined || key === undefined) return NO_INBOX;
  const client = createInboxClient({ url, key, fetch: (address, init) => fetch(address, init), limits: parts.limits });
  const puller = createInboxPuller({ ...parts, client });
  return watchInbox({ ...parts, puller, timers: systemTimers });
};

const NO_INBOX: InboxWatch = {
  start: () => undefined,
  mayEndTasks: () => Promise.resolve(true),
  stop: () => Promise.resolve(),
};
