import { z } from 'zod';

/** Methods that a grant may name. */
export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export const HttpMethod = z.enum(HTTP_METHODS, { error: `must be one of ${HTTP_METHODS.join(', ')}` });
export type HttpMethod = z.infer<typeof HttpMethod>;

const HOST = /^(\*|(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])$/;

/** One part of the web that a plugin may reach. */
export const HttpGrant = z.strictObject({
  scheme: z.enum(['https', 'http'], { error: 'must be "https" or "http"' }).default('https'),
  host: z
    .string()
    .max(253)
    .regex(HOST, {
      error:
        'must be a host name in lower case without scheme, port and path, such as "api.example.com", "*.example.com" for all below it, or "*" for every public host',
    })
    .meta({ description: 'A host, `*.` and a domain for every host below it, or `*` for every public host.' }),
  port: z.int().min(1).max(65_535).optional().meta({ description: 'Without it, the usual port of the scheme.' }),
  methods: z.array(HttpMethod).min(1).default(['GET', 'HEAD']),
});
export type HttpGrant = z.infer<typeof HttpGrant>;

const granted = z.literal(true, { error: 'must be true; leave the field out to grant nothing' });

/** What a sandboxed plugin may do beside computing. What is not here is denied. Limits can only be tighter than the server's. */
export const PluginPermissions = z.strictObject({
  http: z
    .strictObject({
      allow: z.array(HttpGrant).min(1, { error: 'must name at least one host' }).max(64),
      requests: z.int().min(1).optional().meta({ description: 'Requests of one call.' }),
      bytes: z.int().min(1).optional().meta({ description: 'Bytes of all bodies of one call, both ways.' }),
      timeoutMs: z.int().min(1).optional().meta({ description: 'Milliseconds of one request, with its redirects.' }),
    })
    .optional(),
  kv: z
    .union([
      z.literal(true),
      z.strictObject({
        bytes: z.int().min(1).optional().meta({ description: 'Bytes of everything that the plugin keeps.' }),
      }),
    ])
    .optional()
    .meta({ description: 'Values that the plugin keeps from call to call, for all its callers.' }),
  resources: z
    .array(z.enum(['read', 'write'], { error: 'must be "read" or "write"' }))
    .min(1)
    .max(2)
    .optional(),
  config: z
    .array(z.string().min(1).max(128))
    .min(1)
    .max(64)
    .optional()
    .meta({ description: 'Names in `configSchema` that the plugin may read.' }),
  log: granted.optional(),
  progress: granted.optional(),
});
export type PluginPermissions = z.infer<typeof PluginPermissions>;
