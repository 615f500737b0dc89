// What a sandboxed plugin in TypeScript imports as 'vcp-plugin'. `vcp plugin build` resolves the name;
// docs/plugin-guide.md shows how it is used.

import type { PluginHandlers } from './runtime/plugin-types.ts';

export { config, http, kv, log, progress, resources } from './runtime/host-api.ts';
export type { HttpRequest, HttpResponse, ProgressReport, ReadResource } from './runtime/host-api.ts';
export { PluginError } from './runtime/plugin-error.ts';
export type { PluginErrorOptions } from './runtime/plugin-error.ts';
export type {
  PluginActor,
  PluginCall,
  PluginHandler,
  PluginHandlers,
  PluginResource,
  PluginResult,
} from './runtime/plugin-types.ts';

/** The default export of a plugin: what answers each of its commands. Checks nothing; it lends the types. */
export function plugin<Handlers extends PluginHandlers>(handlers: Handlers): Handlers {
  return handlers;
}
