import { createMiddleware } from 'hono/factory';
import type { AppEnvironment } from '../app-environment.ts';
import type { RateGate } from '../rate-gate.ts';

/** Counts each request of a known key, and refuses those beyond its rate with 429. */
export const withinRate = (rates: RateGate) =>
  createMiddleware<AppEnvironment>(async (c, next) => rates.refuseRequest(c) ?? (await next()));
