import { Hono } from 'hono';
import type { InboxStore } from '../ports/inbox-store.ts';
import type { ReadinessCheck } from '../ports/readiness-check.ts';
import type { CallbackReceiver } from '../runtime/tasks/callback-receiver.ts';
import type { TaskTokenVerifier } from '../task/task-token-verifier.ts';
import { answerFaults } from './answer-faults.ts';
import type { AppDependencies, AppEnvironment } from './app-environment.ts';
import { bearerAuth } from './middleware/bearer-auth.ts';
import { limitedBody } from './middleware/limited-body.ts';
import { requestId } from './middleware/request-id.ts';
import { withinRate } from './middleware/within-rate.ts';
import type { EventPush } from './push/event-push.ts';
import { createRateGate } from './rate-gate.ts';
import { refuseOtherMethods } from './refuse-other-methods.ts';
import { callbackRoutes } from './routes/callbacks.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { inboxRoutes } from './routes/inbox.ts';

export type ReceiverDependencies = Pick<
  AppDependencies,
  | 'authenticator'
  | 'blobs'
  | 'callbackUrlTokens'
  | 'clock'
  | 'connections'
  | 'corsOrigins'
  | 'ids'
  | 'limits'
  | 'logger'
  | 'version'
> & {
  readonly inbox: InboxStore;
  readonly tokens: TaskTokenVerifier;
  readonly receiver: CallbackReceiver;
  readonly readinessChecks: readonly ReadinessCheck[];
  /** Who holds the connections that events are pushed to; null where nobody does. */
  readonly eventPush: EventPush | null;
};

/** The HTTP surface of a receiver of callbacks: what plugins post to, and what their server fetches. */
export const createReceiverApp = (dependencies: ReceiverDependencies) => {
  const { limits, logger, ids, clock, eventPush } = dependencies;
  const app = new Hono<AppEnvironment>();
  app.use(requestId(ids));
  answerFaults(app, logger);
  app.route('/', callbackRoutes(dependencies));

  // Who asks comes before what is asked, as on a server.
  const authenticated = bearerAuth({ ...dependencies, tickets: eventPush?.tickets ?? null });
  app.use('/v1/*', authenticated, withinRate(createRateGate(clock, limits)), limitedBody(limits.requestBodyBytes));
  app.use('/readyz', (c, next) => (c.req.header('authorization') === undefined ? next() : authenticated(c, next)));
  const served = app
    .route('/', healthRoutes({ ...dependencies, isReady: () => true }))
    .route('/', inboxRoutes(dependencies))
    .route('/', eventRoutes(dependencies));
  refuseOtherMethods(app);
  return served;
};
