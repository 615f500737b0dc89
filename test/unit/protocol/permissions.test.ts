import { describe, expect, it } from 'vitest';
import { issuesOf } from '../../../src/lib/issue.ts';
import { PluginManifest } from '../../../src/protocol/manifest.ts';
import { manifest } from '../../support/sample-values.ts';

const faultsOf = (permissions: unknown): [string, string][] => {
  const parsed = PluginManifest.safeParse(manifest({ permissions }));
  return parsed.success ? [] : issuesOf(parsed.error).map(({ pointer, message }) => [pointer, message]);
};
const http = (grant: unknown) => ({ http: { allow: [grant] } });

describe('permissions', () => {
  it('may grant everything that there is', () => {
    expect(
      faultsOf({
        http: {
          allow: [
            { host: 'api.example.com' },
            { scheme: 'http', host: '*.example.com', port: 8080, methods: ['GET', 'POST', 'DELETE'] },
            { host: '*' },
            { host: '192.0.2.1' },
            { host: '[2001:db8::1]' },
            { host: 'xn--bcher-kva.example' },
            { host: 'localhost' },
          ],
          requests: 3,
          bytes: 1_000,
          timeoutMs: 500,
        },
        kv: { bytes: 1_000 },
        resources: ['read', 'write'],
        config: ['CITY'],
        log: true,
        progress: true,
      }),
    ).toEqual([]);
    expect(faultsOf({ kv: true })).toEqual([]);
  });

  it('mean https on its usual port, to be read from, where they do not say more', () => {
    const parsed = PluginManifest.parse(manifest({ permissions: http({ host: 'api.example.com' }) }));
    expect(parsed.permissions).toEqual({
      http: { allow: [{ scheme: 'https', host: 'api.example.com', methods: ['GET', 'HEAD'] }] },
    });
  });

  it.each<[string, unknown, string, RegExp]>([
    ['something that there is not', { fs: true }, '/permissions/fs', /unknown field/],
    ['no host', { http: { allow: [] } }, '/permissions/http/allow', /at least one host/],
    ['an address in place of a host', http('https://api.example.com'), '/permissions/http/allow/0', /object/],
    ['a host with a scheme', http({ host: 'https://a.example' }), '/permissions/http/allow/0/host', /host name/],
    ['a host with a port', http({ host: 'a.example:80' }), '/permissions/http/allow/0/host', /host name/],
    ['a host with a path', http({ host: 'a.example/x' }), '/permissions/http/allow/0/host', /host name/],
    ['a host in capitals', http({ host: 'A.example' }), '/permissions/http/allow/0/host', /lower case/],
    ['a star in the middle', http({ host: 'a.*.example' }), '/permissions/http/allow/0/host', /host name/],
    ['a star of a part', http({ host: '*a.example' }), '/permissions/http/allow/0/host', /host name/],
    ['another scheme', http({ scheme: 'ftp', host: 'a' }), '/permissions/http/allow/0/scheme', /"https" or "http"/],
    ['no method', http({ host: 'a', methods: [] }), '/permissions/http/allow/0/methods', /./],
    ['a strange method', http({ host: 'a', methods: ['TRACE'] }), '/permissions/http/allow/0/methods/0', /GET, HEAD/],
    ['port 0', http({ host: 'a', port: 0 }), '/permissions/http/allow/0/port', /./],
    ['less than nothing', { kv: { bytes: 0 } }, '/permissions/kv/bytes', /./],
    ['a log that is not granted', { log: false }, '/permissions/log', /leave the field out/],
    ['resources without saying what', { resources: [] }, '/permissions/resources', /./],
    ['resources to be run', { resources: ['run'] }, '/permissions/resources/0', /"read" or "write"/],
  ])('are refused with %s', (_, permissions, pointer, message) => {
    const found = faultsOf(permissions).find(([at]) => at === pointer);
    expect(found?.[1] ?? JSON.stringify(faultsOf(permissions))).toMatch(message);
    expect(found?.[0]).toBe(pointer);
  });
});
