import type { HostFunctionName } from '../../../ports/wasm-sandbox.ts';
import type { PluginPermissions } from '../../../protocol/permissions.ts';

type Grant = { isGiven(permissions: PluginPermissions): boolean; readonly example: string };

const KV: Grant = { isGiven: ({ kv }) => kv !== undefined, example: '"kv": true' };

const GRANTS: Readonly<Record<HostFunctionName, Grant>> = {
  resource_write: {
    isGiven: ({ resources }) => resources?.includes('write') === true,
    example: '"resources": ["write"]',
  },
  resource_read: { isGiven: ({ resources }) => resources?.includes('read') === true, example: '"resources": ["read"]' },
  progress: { isGiven: ({ progress }) => progress === true, example: '"progress": true' },
  log: { isGiven: ({ log }) => log === true, example: '"log": true' },
  config_get: { isGiven: ({ config }) => config !== undefined, example: '"config": ["NAME"]' },
  kv_get: KV,
  kv_set: KV,
  http_request: {
    isGiven: ({ http }) => http !== undefined,
    example: '"http": {"allow": [{"host": "api.example.com"}]}',
  },
};

/** Why a plugin may not call a host function, in words for its author; null when it may. */
export const permissionRefusal = (name: HostFunctionName, permissions: PluginPermissions): string | null => {
  const { isGiven, example } = GRANTS[name];
  return isGiven(permissions)
    ? null
    : `${name} is not granted; add ${example} to "permissions" in plugin-manifest.json`;
};
