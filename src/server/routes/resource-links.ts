import { Hono, type MiddlewareHandler } from 'hono';
import { writtenDuration } from '../../lib/duration.ts';
import type { ResourceDescriptor } from '../../protocol/resource.ts';
import { ResourceLinkRequest } from '../../protocol/resource-link.ts';
import { maySee } from '../access.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { boundedJson, jsonOrNothing, validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';
import { sendResource, type SendDependencies } from '../send-resource.ts';

type LinkDependencies = Pick<AppDependencies, 'calls' | 'addresses' | 'clock'> & SendDependencies;

const DEFAULT_MS = 10 * 60 * 1_000;

/** `POST /v1/resources/:id/links`: an address that opens a resource without a key, for a time (§7.6). */
export const resourceLinkRoutes = ({ calls, addresses, limits, clock }: LinkDependencies) =>
  new Hono<AppEnvironment>().post(
    '/v1/resources/:id/links',
    boundedJson(limits),
    jsonOrNothing(),
    validated('json', ResourceLinkRequest),
    async (c) => {
      const id = c.req.param('id');
      const { expiresInMs = Math.min(DEFAULT_MS, limits.linkMs) } = c.req.valid('json');
      if (expiresInMs > limits.linkMs) {
        const message = `must be at most ${writtenDuration(limits.linkMs)} (${limits.linkMs} ms), the longest that this server allows`;
        return problem(c, {
          status: 400,
          code: 'INVALID_REQUEST',
          detail: `the body is not valid: /expiresInMs ${message}`,
          issues: [{ pointer: '/expiresInMs', message }],
        });
      }
      const stored = await calls.getResource(id);
      if (stored === null || !maySee(c.get('identity'), stored.owner) || stored.descriptor.sha256 === null) {
        const detail = `there is no resource "${id.slice(0, 64)}" kept here that this key may see`;
        return problem(c, { status: 404, code: 'NOT_FOUND', detail });
      }
      const { descriptor } = stored;
      const expiresAt = Math.floor((clock.now() + expiresInMs) / 1_000) * 1_000;
      const link: ResourceDescriptor = {
        ...descriptor,
        url: await addresses.signedUrlOf(id, descriptor.fileName, expiresAt),
        access: { type: 'ephemeral', expiresAt: new Date(expiresAt).toISOString(), requiresAuth: false },
      };
      return c.json(link, 201, { location: link.url, 'cache-control': 'no-store' });
    },
  );

/**
 * Serves what a signed address opens, to anybody (§7.6). Requests without a signature are for the routes that ask for
 * a key, so this comes before them.
 */
export const signedResourceRoutes = (dependencies: LinkDependencies) => {
  const { calls, addresses, clock } = dependencies;
  const serve: MiddlewareHandler<AppEnvironment> = async (c, next) => {
    const sig = c.req.query('sig');
    if (sig === undefined) return await next();
    const id = c.req.param('id') as string;
    const exp = c.req.query('exp') ?? '';
    const verdict = await addresses.judge(id, { exp, sig });
    if (verdict === 'forged') {
      const detail =
        'the signature of this address is not right; it may have been cut off or changed: ask for a new one';
      return problem(c, { status: 403, code: 'INVALID_SIGNATURE', detail });
    }
    if (verdict === 'expired') {
      const detail = 'this address has expired; ask whoever gave it to you for a new one';
      return problem(c, { status: 410, code: 'LINK_EXPIRED', detail });
    }
    const stored = await calls.getResource(id);
    if (stored === null) {
      return problem(c, { status: 404, code: 'NOT_FOUND', detail: 'this resource is not kept any more' });
    }
    const secondsLeft = Math.max(0, Math.floor(Number(exp) - clock.now() / 1_000));
    return await sendResource(c, stored, dependencies, secondsLeft);
  };
  return new Hono<AppEnvironment>().get('/v1/resources/:id', serve).get('/v1/resources/:id/:fileName', serve);
};
