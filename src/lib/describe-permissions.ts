import type { HttpGrant, PluginPermissions } from '../protocol/permissions.ts';
import { formatBytes } from './bytes.ts';

/** What a plugin may do beside computing, each thing in words; none: nothing at all. */
export const describePermissions = ({
  http,
  kv,
  resources,
  config,
  log,
  progress,
}: PluginPermissions): readonly string[] => [
  ...(http === undefined ? [] : http.allow.map((grant) => describeHttp(grant, boundsOf(http)))),
  ...(kv === undefined
    ? []
    : [`keep values${typeof kv === 'object' && kv.bytes !== undefined ? `, up to ${formatBytes(kv.bytes)}` : ''}`]),
  ...(resources === undefined ? [] : [`${resources.join(' and ')} resources`]),
  ...(config === undefined ? [] : [`read configuration ${config.join(', ')}`]),
  ...(log === true ? ['write to the log'] : []),
  ...(progress === true ? ['report progress'] : []),
];

const describeHttp = ({ scheme, host, port, methods }: HttpGrant, bounds: string): string => {
  const where = host === '*' ? `any public host by ${scheme}` : `${scheme}://${host}`;
  return `http ${methods.join(', ')} ${where}${port === undefined ? '' : host === '*' ? ` on port ${port}` : `:${port}`}${bounds}`;
};

const boundsOf = ({ requests, bytes, timeoutMs }: NonNullable<PluginPermissions['http']>): string => {
  const bounds = [
    ...(requests === undefined ? [] : [`${requests} ${requests === 1 ? 'request' : 'requests'}`]),
    ...(bytes === undefined ? [] : [formatBytes(bytes)]),
    ...(timeoutMs === undefined ? [] : [`${timeoutMs} ms each`]),
  ];
  return bounds.length === 0 ? '' : ` (at most ${bounds.join(', ')})`;
};
