import { Hono } from 'hono';
import { z } from 'zod';
import { maySee } from '../access.ts';
import type { AppEnvironment, RouteDependencies } from '../app-environment.ts';
import type { RunningChats } from '../chat/running-chats.ts';
import { boundedJson, jsonOnly, utf8Body, validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';

/** `id` is that of the answer (`chatcmpl-…`), or the `x-request-id` of its request. */
export const InterruptRequest = z.strictObject({ id: z.string().min(1).max(256) });

/** `POST /v1/interrupt`: ends a conversation where it is. Its client gets what was said until then. */
export const interruptRoutes = ({ limits, running }: RouteDependencies & { readonly running: RunningChats }) =>
  new Hono<AppEnvironment>().post(
    '/v1/interrupt',
    jsonOnly(),
    utf8Body(),
    boundedJson(limits),
    validated('json', InterruptRequest),
    (c) => {
      const { id } = c.req.valid('json');
      const identity = c.get('identity');
      if (running.interrupt(id, (owner) => maySee(identity, owner))) return c.json({ id, interrupted: true });
      return problem(c, {
        status: 404,
        code: 'NOT_FOUND',
        detail: `no conversation "${id.slice(0, 100)}" is running; it may have ended`,
      });
    },
  );
