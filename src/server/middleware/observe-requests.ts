import { context as contextApi, propagation, SpanKind, SpanStatusCode, type TextMapGetter } from '@opentelemetry/api';
import type { HonoRequest, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { METRICS } from '../../lib/metric-definitions.ts';
import { remembered } from '../../lib/remembered.ts';
import type { Telemetry } from '../../runtime/telemetry.ts';
import { traceIdsOf, within } from '../../runtime/trace-context.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';

/** Stands for all methods that no route takes: a client may send any word. */
const OTHER_METHOD = '(other)';
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Stands for all paths that no route has. */
const NO_ROUTE = '(none)';

/**
 * One span, one log line at `debug`, a count and a time for each request. A `traceparent` of the client is taken up where
 * an OpenTelemetry SDK is registered that understands it.
 */
export const observeRequests = (
  { metrics, tracer, clock }: Telemetry,
  { logger }: Pick<AppDependencies, 'logger'>,
): MiddlewareHandler<AppEnvironment> => {
  const requests = remembered((method: string, route: string, status: string) =>
    metrics.counter(METRICS.requests, { method, route, status }),
  );
  const requestSeconds = remembered((method: string, route: string) =>
    metrics.histogram(METRICS.requestSeconds, { method, route }),
  );
  return async (c, next) => {
    const begun = clock.monotonic();
    const method = METHODS.has(c.req.method) ? c.req.method : OTHER_METHOD;
    const parent = propagation.extract(contextApi.active(), c.req, HEADERS);
    const span = tracer.startSpan(
      method,
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': method, 'vcp.request.id': c.get('requestId') } },
      parent,
    );
    const inRequest = within(parent, span);
    c.set('trace', inRequest);
    await contextApi.with(inRequest, next);

    const { status } = c.res;
    const route = routeOf(routePath(c));
    const seconds = (clock.monotonic() - begun) / 1_000;
    requests(method, route, String(status)).add();
    requestSeconds(method, route).observe(seconds);
    if (span.isRecording()) {
      span.updateName(route === NO_ROUTE ? method : `${method} ${route}`);
      span.setAttribute('http.response.status_code', status);
      if (route !== NO_ROUTE) span.setAttribute('http.route', route);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', String(status));
    }
    span.end();
    logger.debug('http.request', {
      requestId: c.get('requestId'),
      ...traceIdsOf(span),
      method: c.req.method,
      route,
      status,
      durationMs: Math.round(seconds * 1_000_000) / 1_000,
    });
  };
};

const HEADERS: TextMapGetter<HonoRequest> = {
  get: (request, name) => request.header(name),
  keys: (request) => Object.keys(request.header()),
};

/** Where no route answered, hono names the pattern of the middleware that came last. */
const routeOf = (pattern: string): string => (pattern === '*' || pattern === '/*' ? NO_ROUTE : pattern);
