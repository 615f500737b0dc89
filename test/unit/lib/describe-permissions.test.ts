import { expect, it } from 'vitest';
import { describePermissions } from '../../../src/lib/describe-permissions.ts';

it('tells in words what a plugin may do', () => {
  expect(
    describePermissions({
      http: {
        allow: [
          { scheme: 'https', host: 'api.example.com', methods: ['GET', 'HEAD'] },
          { scheme: 'http', host: '*.example.com', port: 8080, methods: ['POST'] },
          { scheme: 'https', host: '*', methods: ['GET'] },
        ],
        requests: 3,
        bytes: 1_048_576,
      },
      kv: { bytes: 2_048 },
      resources: ['read', 'write'],
      config: ['CITY', 'API_KEY'],
      log: true,
      progress: true,
    }),
  ).toEqual([
    'http GET, HEAD https://api.example.com (at most 3 requests, 1.0 MiB)',
    'http POST http://*.example.com:8080 (at most 3 requests, 1.0 MiB)',
    'http GET any public host by https (at most 3 requests, 1.0 MiB)',
    'keep values, up to 2.0 KiB',
    'read and write resources',
    'read configuration CITY, API_KEY',
    'write to the log',
    'report progress',
  ]);
  expect(
    describePermissions({
      http: { allow: [{ scheme: 'https', host: 'a.example', methods: ['GET'] }], requests: 1 },
    }),
  ).toEqual(['http GET https://a.example (at most 1 request)']);
  expect(describePermissions({ kv: true })).toEqual(['keep values']);
  expect(describePermissions({})).toEqual([]);
});
