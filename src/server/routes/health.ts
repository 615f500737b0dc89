import { Hono, type Context } from 'hono';
import { PROTOCOL_NAME, PROTOCOL_VERSION } from '../../protocol/version.ts';
import type { Identity } from '../../ports/authenticator.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReadinessCheck } from '../../ports/readiness-check.ts';
import { seesEverything } from '../access.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { createReadiness, type ReadinessReport } from '../readiness.ts';

type HealthDependencies = Pick<AppDependencies, 'isReady' | 'limits' | 'version'> & {
  readonly readinessChecks: readonly ReadinessCheck[];
  readonly clock: Pick<Clock, 'monotonic'>;
};

/** Open to all; says nothing about what the server holds, but to an operator whose key comes with the question. */
export const healthRoutes = (dependencies: HealthDependencies) => {
  const { isReady, limits, readinessChecks, clock, version } = dependencies;
  const readiness = createReadiness(readinessChecks, clock, limits);

  const report = async (): Promise<ReadinessReport> => (isReady() ? await readiness.report() : SHUTTING_DOWN);

  /** Without a key there is no identity, and without that no details. */
  const isOperator = (c: Context<AppEnvironment>): boolean => {
    const identity = c.get('identity') as Identity | undefined;
    return identity !== undefined && seesEverything(identity);
  };

  return new Hono<AppEnvironment>()
    .get('/healthz', (c) => c.json({ status: 'ok' }))
    .get('/readyz', async (c) => {
      const { ready, checks } = await report();
      return c.json(isOperator(c) ? { ready, checks } : { ready }, ready ? 200 : 503);
    })
    .get('/version', (c) =>
      c.json({ name: 'vcp-runtime', version, protocol: { name: PROTOCOL_NAME, version: PROTOCOL_VERSION } }),
    );
};

const SHUTTING_DOWN: ReadinessReport = {
  ready: false,
  checks: [{ name: 'accepting-calls', ok: false, reason: 'the server is shutting down', durationMs: 0 }],
};
