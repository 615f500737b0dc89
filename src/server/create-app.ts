import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { createPresentationObserver } from '../runtime/observe-presentation.ts';
import { noTelemetry } from '../runtime/telemetry.ts';
import { createTaskCallbacks } from '../runtime/tasks/task-callbacks.ts';
import { answerFaults } from './answer-faults.ts';
import type { AppDependencies, AppEnvironment } from './app-environment.ts';
import { bearerAuth } from './middleware/bearer-auth.ts';
import { limitedBody } from './middleware/limited-body.ts';
import { observeRequests } from './middleware/observe-requests.ts';
import { operatorsOnly } from './middleware/operators-only.ts';
import { requestId } from './middleware/request-id.ts';
import { withinRate } from './middleware/within-rate.ts';
import { pluginCheck } from './plugin-check.ts';
import { createEventPush } from './push/create-event-push.ts';
import type { EventPush } from './push/event-push.ts';
import { createRateGate } from './rate-gate.ts';
import { refuseOtherMethods } from './refuse-other-methods.ts';
import { chatCompletionRoutes } from './routes/chat-completions.ts';
import { interruptRoutes } from './routes/interrupts.ts';
import { modelRoutes } from './routes/models.ts';
import { openAiErrors } from './chat/openai-error.ts';
import { createRunningChats } from './chat/running-chats.ts';
import { apiPageRoutes } from './routes/api-page.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { collectionRoutes } from './routes/collections.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { humanToolRoutes } from './routes/human-tool.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { pluginRoutes } from './routes/plugins.ts';
import { recordRoutes } from './routes/records.ts';
import { resourceLinkRoutes, signedResourceRoutes } from './routes/resource-links.ts';
import { resourceRoutes } from './routes/resources.ts';
import { resultRoutes } from './routes/results.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { schemaRoutes } from './routes/schemas.ts';
import { callbackRoutes } from './routes/callbacks.ts';
import { taskRoutes } from './routes/tasks.ts';
import { specialModelRoutes } from './routes/special-models.ts';
import { toolRoutes } from './routes/tools.ts';
import { uploadRoutes } from './routes/uploads.ts';

/** The HTTP surface on any runtime that speaks `fetch`. Everything it needs is handed in. */
export const createApp = (given: AppDependencies) => {
  const telemetry = given.telemetry ?? noTelemetry();
  const dependencies = { ...given, telemetry, presenting: createPresentationObserver(telemetry) };
  const { limits, logger, ids, clock, documents } = dependencies;
  const app = new Hono<AppEnvironment>();

  app.use(requestId(ids));
  app.use(observeRequests(telemetry, dependencies));
  app.use(crossOrigin(dependencies));
  answerFaults(app, logger);

  app.route('/', schemaRoutes(documents));
  app.route('/', apiPageRoutes(documents));
  app.route('/', signedResourceRoutes(dependencies));
  app.route('/', callbackRoutes({ ...dependencies, receiver: createTaskCallbacks(given.finishing) }));

  // Who asks comes before what is asked: no body of a stranger's is read.
  const rates = createRateGate(clock, limits);
  const eventPush = eventPushOf(dependencies);
  const authenticated = bearerAuth({ ...dependencies, tickets: eventPush?.tickets ?? null });
  const running = given.runningChats ?? createRunningChats();
  const admitted = [authenticated, withinRate(rates)] as const;
  for (const path of OPENAI_PATHS) app.use(path, openAiErrors());
  app.use('/v1/*', ...admitted, limitedBody(limits.requestBodyBytes, isUpload));
  app.use('/metrics', ...admitted, operatorsOnly());
  // Open, but a key that comes along is looked at as everywhere: it would be guessed here otherwise.
  app.use('/readyz', (c, next) => (c.req.header('authorization') === undefined ? next() : authenticated(c, next)));
  app.get('/openapi.json', ...admitted, async (c) => c.json((await documents.load()).openapi as object));
  const readinessChecks = [pluginCheck(given.registry), ...(given.readinessChecks ?? [])];
  // In one chain, so that the type of the app knows every route.
  const served = app
    .route('/', healthRoutes({ ...dependencies, readinessChecks, clock: telemetry.clock }))
    .route('/', metricsRoutes(dependencies))
    .route('/', toolRoutes(dependencies))
    .route('/', pluginRoutes(dependencies))
    .route('/', humanToolRoutes({ ...dependencies, rates }))
    .route('/', approvalRoutes(dependencies))
    .route('/', resultRoutes(dependencies))
    .route('/', recordRoutes(dependencies))
    .route('/', scheduleRoutes(dependencies))
    .route('/', taskRoutes(dependencies))
    .route('/', resourceRoutes(dependencies))
    .route('/', uploadRoutes(dependencies))
    .route('/', resourceLinkRoutes(dependencies))
    .route('/', collectionRoutes(dependencies))
    .route('/', chatCompletionRoutes({ ...dependencies, rates, running }))
    .route('/', interruptRoutes({ ...dependencies, running }))
    .route('/', specialModelRoutes(dependencies))
    .route('/', modelRoutes(dependencies))
    .route('/', eventRoutes({ ...dependencies, eventPush }));
  refuseOtherMethods(app);
  return served;
};

/** All routes with what they take and give, for `hc` of `hono/client`. */
export type AppType = ReturnType<typeof createApp>;

const eventPushOf = (dependencies: AppDependencies): EventPush | null => {
  const { eventPush = null, hub, push } = dependencies;
  return hub === undefined || push === undefined ? eventPush : createEventPush({ ...dependencies, hub, push });
};

/** Routes whose clients speak OpenAI's words. */
const OPENAI_PATHS = ['/v1/chat/*', '/v1/models', '/v1/interrupt', '/v1/embeddings', '/v1/images/*'];

/** Uploads have a limit of their own, and are never held in memory whole. */
const isUpload = (c: Context): boolean => c.req.method === 'POST' && c.req.path === '/v1/resources';

/** What pages of other origins may read beside the headers that all may. */
const EXPOSED_HEADERS = [
  'x-request-id',
  'idempotency-replayed',
  'preference-applied',
  'etag',
  'location',
  'content-range',
  'content-disposition',
  'retry-after',
  'ratelimit-policy',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
];

/** Pages of other origins, where the configuration names any; without, a server answers as if there were no such thing. */
const crossOrigin = ({ corsOrigins }: Pick<AppDependencies, 'corsOrigins'>): MiddlewareHandler => {
  const allow = cors({
    origin: (origin) => ['*', origin].find((allowed) => corsOrigins().includes(allowed)) ?? null,
    exposeHeaders: EXPOSED_HEADERS,
  });
  return (c, next) => (corsOrigins().length > 0 ? allow(c, next) : next());
};
