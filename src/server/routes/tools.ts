import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { describeTool, portsOf } from '../../registry/describe-tool.ts';
import { unknownToolMessage } from '../../registry/unknown-tool-message.ts';
import { mayUseTool, seesEverything } from '../access.ts';
import type { AppDependencies, AppEnvironment } from '../app-environment.ts';
import { validated } from '../middleware/json-body.ts';
import { problem } from '../problem.ts';

export const ToolsQuery = z.strictObject({
  include: z
    .literal('refused')
    .optional()
    .meta({ description: 'Adds the plugins that were refused, and why; for operators.' }),
});

/** What can be called, by whom it is asked. */
export const toolRoutes = ({ registry }: Pick<AppDependencies, 'registry'>) => {
  const unknownTool = (c: Context<AppEnvironment>, name: string) => {
    const isOffered = (other: string) => mayUseTool(c.get('identity'), other);
    const { message } = unknownToolMessage(name, registry, isOffered);
    return problem(c, { status: 404, code: 'TOOL_NOT_FOUND', detail: message });
  };

  const visible = (c: Context<AppEnvironment>, name: string) => {
    const plugin = registry.get(name);
    return plugin !== null && mayUseTool(c.get('identity'), name) ? plugin : null;
  };

  return new Hono<AppEnvironment>()
    .get('/v1/tools', validated('query', ToolsQuery), (c) => {
      const identity = c.get('identity');
      const tools = registry
        .list()
        .filter((plugin) => mayUseTool(identity, plugin.manifest.name))
        .map(describeTool);
      // Why a plugin was refused tells where it lies on the host, which is for operators.
      const refused =
        c.req.valid('query').include === 'refused' && seesEverything(identity) ? { refused: registry.refused() } : {};
      return c.json({ tools, ...refused });
    })
    .get('/v1/tools/:tool', (c) => {
      const plugin = visible(c, c.req.param('tool'));
      return plugin === null ? unknownTool(c, c.req.param('tool')) : c.json(describeTool(plugin));
    })
    .get('/v1/tools/:tool/commands/:command/ports', (c) => {
      const { tool, command } = c.req.param();
      const plugin = visible(c, tool);
      if (plugin === null) return unknownTool(c, tool);
      const definition = plugin.commands.get(command);
      if (definition === undefined) {
        return problem(c, {
          status: 404,
          code: 'UNKNOWN_COMMAND',
          detail: `${tool} has no command "${command}"; it has ${[...plugin.commands.keys()].join(', ')}`,
        });
      }
      return c.json(portsOf(definition.command));
    });
};
