import { Hono } from 'hono';
import { z } from 'zod';
import type { InboxStore } from '../../ports/inbox-store.ts';
import { InboxItemId } from '../../protocol/ids.ts';
import { InboxAcknowledgement, InboxBlob } from '../../protocol/inbox.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { boundedJson, jsonOnly, validated } from '../middleware/json-body.ts';
import { operatorsOnly } from '../middleware/operators-only.ts';
import { problem } from '../problem.ts';

export const InboxQuery = z.strictObject({
  after: InboxItemId.optional().meta({ description: 'Only items behind this one; `nextAfter` of the page before.' }),
  limit: z.coerce.number().int().min(1).max(100).default(50).meta({ description: 'Most items of a page.' }),
});

const BlobPath = InboxBlob.pick({ sha256: true });

type InboxRouteDependencies = Pick<AppDependencies, 'blobs' | 'clock' | 'limits'> & { readonly inbox: InboxStore };

/** What a receiver has taken, for the server that it is for: its key is an operator's. */
export const inboxRoutes = ({ inbox, blobs, clock, limits }: InboxRouteDependencies) =>
  new Hono<AppEnvironment>()
    .use('/v1/inbox/*', operatorsOnly())
    .get('/v1/inbox', validated('query', InboxQuery), async (c) => {
      const { after = null, limit } = c.req.valid('query');
      const items = await inbox.list({ after, limit });
      return c.json({ items, nextAfter: items.length === limit ? (items.at(-1)?.id ?? null) : null });
    })
    .get('/v1/inbox/blobs/:sha256', async (c) => {
      const sha256 = BlobPath.safeParse(c.req.param()).data?.sha256;
      const found = sha256 !== undefined && (await inbox.refersTo(sha256)) ? await blobs.stat(sha256) : null;
      const bytes = found === null ? null : await blobs.get(found.sha256);
      if (found === null || bytes === null) {
        const detail = `no item of the inbox has bytes of the SHA-256 "${c.req.param('sha256').slice(0, 64)}"`;
        return problem(c, { status: 404, code: 'NOT_FOUND', detail });
      }
      return c.body(bytes as ReadableStream<Uint8Array<ArrayBuffer>>, 200, {
        'content-type': 'application/octet-stream',
        'content-length': String(found.sizeBytes),
      });
    })
    .post(
      '/v1/inbox/acknowledgements',
      jsonOnly('send {"ids": […]}'),
      boundedJson(limits),
      validated('json', InboxAcknowledgement),
      async (c) => c.json({ acknowledged: await inbox.acknowledge(c.req.valid('json').ids, clock.now()) }),
    );
