import { Hono } from 'hono';
import { createMiddleware } from 'hono/factory';
import { suggestName } from '../../lib/suggest.ts';
import { PluginSwitchesFixed } from '../../ports/plugin-switches.ts';
import { PluginPatch } from '../../protocol/plugin-listing.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { boundedJson, isJson, utf8Body, validated } from '../middleware/json-body.ts';
import { operatorsOnly } from '../middleware/operators-only.ts';
import { problem } from '../problem.ts';

/** The plugins of this server as its operators see and steer them. */
export const pluginRoutes = ({ plugins, limits }: Pick<AppDependencies, 'plugins' | 'limits'>) =>
  new Hono<AppEnvironment>()
    .get('/v1/plugins', operatorsOnly(), (c) => c.json({ plugins: plugins.list() }))
    .post('/v1/plugins/reload', operatorsOnly(), async (c) => c.json(await plugins.reload()))
    .patch(
      '/v1/plugins/:name',
      operatorsOnly(),
      jsonOnly,
      utf8Body(),
      boundedJson(limits),
      validated('json', PluginPatch),
      async (c) => {
        const name = c.req.param('name');
        const { enabled } = c.req.valid('json');
        const status = await plugins.setEnabled(name, enabled, c.get('identity').name).catch(fixed);
        if (status instanceof PluginSwitchesFixed)
          return problem(c, { status: 409, code: 'PLUGINS_FIXED', detail: status.message });
        if (status !== null) return c.json(status);
        const near = suggestName(
          name,
          plugins.list().flatMap((plugin) => plugin.name ?? []),
        );
        return problem(c, {
          status: 404,
          code: 'NOT_FOUND',
          detail: `there is no plugin "${name.slice(0, 100).toWellFormed()}"; ${near === null ? 'GET /v1/plugins (vcp plugins) lists them' : `did you mean "${near}"?`}`,
        });
      },
    );

const fixed = (error: unknown): PluginSwitchesFixed => {
  if (error instanceof PluginSwitchesFixed) return error;
  throw error;
};

const jsonOnly = createMiddleware<AppEnvironment>(async (c, next) =>
  isJson(c.req.header('content-type'))
    ? await next()
    : problem(c, {
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        detail: 'send a JSON merge patch such as {"enabled": false} (content-type: application/merge-patch+json)',
      }),
);
