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
import { createTickets, type Tickets } from './push/tickets.ts';
import { createRateGate } from './rate-gate.ts';
import { refuseOtherMethods } from './refuse-other-methods.ts';
import { callbackRoutes } from './routes/callbacks.ts';
import { healthRoutes } from './routes/health.ts';
import { inboxRoutes } from './routes/inbox.ts';

export type ReceiverDependencies = Pick<
  AppDependencies,
  'authenticator' | 'blobs' | 'callbackUrlTokens' | 'clock' | 'connections' | 'ids' | 'limits' | 'logger' | 'version'
> & {
  readonly inbox: InboxStore;
  readonly tokens: TaskTokenVerifier;
  readonly receiver: CallbackReceiver;
  readonly readinessChecks: readonly ReadinessCheck[];
  /** Serves those who are pushed events, behind the key; absent where nobody is. */
  readonly eventRoutes?: Hono<AppEnvironment>;
  /** What opens `/v1/ws` and `/v1/events` without a header. */
  readonly tickets?: Tickets;
};

/** The HTTP surface of a receiver of callbacks: what plugins post to, and what their server fetches. */
export const createReceiverApp = (dependencies: ReceiverDependencies) => {
  const { limits, logger, ids, clock, eventRoutes } = dependencies;
  const app = new Hono<AppEnvironment>();
  app.use(requestId(ids));
  answerFaults(app, logger);
  app.route('/', callbackRoutes(dependencies));

  // Who asks comes before what is asked, as on a server.
  const tickets = dependencies.tickets ?? createTickets(clock, limits);
  const authenticated = bearerAuth({ ...dependencies, tickets });
  app.use('/v1/*', authenticated, withinRate(createRateGate(clock, limits)), limitedBody(limits.requestBodyBytes));
  app.use('/readyz', (c, next) => (c.req.header('authorization') === undefined ? next() : authenticated(c, next)));
  const served = app
    .route('/', healthRoutes({ ...dependencies, isReady: () => true }))
    .route('/', inboxRoutes(dependencies));
  if (eventRoutes !== undefined) served.route('/', eventRoutes);
  refuseOtherMethods(app);
  return served;
};
