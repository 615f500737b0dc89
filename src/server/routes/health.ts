import { Hono } from 'hono';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { PROTOCOL_NAME, PROTOCOL_VERSION } from '../../protocol/version.ts';

/** Open to all; says nothing about what the server holds. */
export const healthRoutes = ({ isReady, version }: Pick<AppDependencies, 'isReady' | 'version'>) =>
  new Hono<AppEnvironment>()
    .get('/healthz', (c) => c.json({ status: 'ok' }))
    .get('/readyz', (c) => (isReady() ? c.json({ status: 'ready' }) : c.json({ status: 'not-ready' }, 503)))
    .get('/version', (c) =>
      c.json({ name: 'vcp-runtime', version, protocol: { name: PROTOCOL_NAME, version: PROTOCOL_VERSION } }),
    );
