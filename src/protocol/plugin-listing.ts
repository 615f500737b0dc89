import { z } from 'zod';
import { Timestamp } from './timestamp.ts';

/** `stale`: an earlier version takes the calls, because the newest state of the plugin is refused. */
export const PluginState = z.enum(['serving', 'disabled', 'refused', 'stale']);
export type PluginState = z.infer<typeof PluginState>;

/** A plugin that a server found, as its operators see it. */
export const PluginStatus = z
  .strictObject({
    name: z.string().nullable().meta({ description: 'Null when not even that could be read.' }),
    version: z.string().nullable().meta({ description: 'The version that is served.' }),
    location: z.string(),
    state: PluginState,
    enabled: z.boolean().nullable().meta({ description: 'Whether calls are taken; null when nothing is served.' }),
    switchedBy: z
      .enum(['operator', 'manifest'])
      .nullable()
      .meta({ description: 'Whose word `enabled` is. The operator goes before the manifest.' }),
    reason: z.string().nullable().meta({ description: 'Why the newest state is refused.' }),
    issues: z.array(z.object({ pointer: z.string(), message: z.string() })),
    loadedAt: Timestamp.nullable(),
    digest: z.string().nullable().meta({ description: 'SHA-256 over the manifest and files of what is served.' }),
  })
  .meta({ id: 'plugin-status', title: 'PluginStatus', description: 'A plugin as operators see it.' });
export type PluginStatus = z.infer<typeof PluginStatus>;

/** `GET /v1/plugins`. */
export const PluginListing = z
  .strictObject({ plugins: z.array(PluginStatus) })
  .meta({ id: 'plugin-listing', title: 'PluginListing', description: 'Every plugin that was found.' });
export type PluginListing = z.infer<typeof PluginListing>;

/** `PATCH /v1/plugins/:name`, a JSON merge patch (RFC 7396). */
export const PluginPatch = z
  .strictObject({
    enabled: z.boolean().nullable().meta({ description: 'Null takes the word back: the manifest decides again.' }),
  })
  .meta({ id: 'plugin-patch', title: 'PluginPatch', description: 'Switches a plugin on or off.' });
export type PluginPatch = z.infer<typeof PluginPatch>;

/** What became of one plugin between two looks. */
export const PluginChange = z.strictObject({
  change: z.enum(['loaded', 'reloaded', 'retired', 'refused']),
  name: z.string().nullable(),
  version: z.string().nullable().meta({ description: 'The version that is served, or was until now.' }),
  previousVersion: z.string().nullable(),
  location: z.string(),
  reason: z.string().nullable(),
});
export type PluginChange = z.infer<typeof PluginChange>;

/** What reading the server's own configuration again led to; the names are those of variables. */
export const ConfigurationReload = z.strictObject({
  applied: z.array(z.string()),
  needsRestart: z.array(z.string()).meta({ description: 'Changed, but only a restart takes them over.' }),
  errors: z
    .array(z.strictObject({ name: z.string(), message: z.string() }))
    .meta({ description: 'Why the new configuration is not used at all, if there are any.' }),
});
export type ConfigurationReload = z.infer<typeof ConfigurationReload>;

/** `POST /v1/plugins/reload`. */
export const PluginReload = z
  .strictObject({ changes: z.array(PluginChange), configuration: ConfigurationReload })
  .meta({ id: 'plugin-reload', title: 'PluginReload', description: 'What a reload changed.' });
export type PluginReload = z.infer<typeof PluginReload>;
