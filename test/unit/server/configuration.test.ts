import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../../src/server/configuration.ts';

const DIGEST = 'aB'.repeat(32);
const errorsOf = (variables: Record<string, string>) => {
  const loaded = loadConfiguration(variables);
  return loaded.ok ? [] : loaded.errors;
};
const loadedOf = (variables: Record<string, string>) => {
  const loaded = loadConfiguration(variables);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded;
};

describe('a variable with a wrong value', () => {
  const origins = 'must be origins such as https://app.example, without a path, separated by commas';
  const digests = 'must be SHA-256 digests of 64 hexadecimal digits, separated by commas';
  it.each([
    ['VCP_PORT', 'abc', 'must be a whole number from 0 to 65535'],
    ['VCP_PORT', '65536', 'must be a whole number from 0 to 65535'],
    ['VCP_PORT', '-1', 'must be a whole number from 0 to 65535'],
    ['VCP_PORT', '80.5', 'must be a whole number from 0 to 65535'],
    ['VCP_SHUTDOWN_MS', 'soon', 'must be a whole number from 0 to 600000'],
    ['VCP_TRUSTED_MODULES', 'main.mjs', digests],
    ['VCP_TRUSTED_MODULES', `${DIGEST},${DIGEST}0`, digests],
    ['VCP_CORS_ORIGINS', 'app.example', origins],
    ['VCP_CORS_ORIGINS', 'https://app.example/', origins],
    ['VCP_CORS_ORIGINS', 'https://app.example/path', origins],
    ['VCP_CORS_ORIGINS', 'https://a.example,nonsense', origins],
    ['VCP_LIMIT_FRAME_BYTES', '1.5', 'must be a whole number, at least 1'],
  ])('%s=%s is told by its name, with what it must be', (name, value, message) => {
    expect(errorsOf({ [name]: value })).toEqual([{ name, message }]);
  });
});

describe('the time for which bytes without a resource are kept', () => {
  const name = 'VCP_LIMIT_BLOB_GRACE_MS';
  it('is longer than any call', () => {
    const message = (longest: number) =>
      `must be more than ${longest}, the milliseconds that the longest call or task may take: the bytes of a running one would be removed`;
    expect(errorsOf({ [name]: '86400000' })).toEqual([{ name, message: message(86_400_000) }]);
    expect(errorsOf({ VCP_LIMIT_CALL_TIMEOUT_MS: '90000000' })).toEqual([{ name, message: message(90_000_000) }]);
    expect(errorsOf({ VCP_LIMIT_TASK_MS: '100000000' })).toEqual([{ name, message: message(100_000_000) }]);
    expect(loadedOf({ [name]: '86400001' }).limits.blobGraceMs).toBe(86_400_001);
  });
});

describe('a variable', () => {
  it('of the command line is none that the server does not know', () => {
    expect(loadedOf({ VCP_URL: 'http://127.0.0.1:6005' }).warnings).toEqual([]);
  });

  it('that nobody knows is warned of', () => {
    expect(loadedOf({ VCP_PROT: '1', OTHER: '2' }).warnings).toEqual([
      { name: 'VCP_PROT', message: 'is not known; did you mean VCP_PORT?' },
    ]);
  });

  it('that is empty is as if it were not there', () => {
    expect(loadedOf({ VCP_PORT: '', VCP_API_KEY: '' }).configuration).toMatchObject({ VCP_PORT: 6005 });
  });

  it('may list origins, and digests in any case', () => {
    const { configuration } = loadedOf({
      VCP_CORS_ORIGINS: 'https://app.example, http://localhost:3000',
      VCP_TRUSTED_MODULES: DIGEST,
    });
    expect(configuration.VCP_CORS_ORIGINS).toEqual(['https://app.example', 'http://localhost:3000']);
    expect(configuration.VCP_TRUSTED_MODULES).toEqual(['ab'.repeat(32)]);
  });

  it('may allow every origin', () => {
    expect(loadedOf({ VCP_CORS_ORIGINS: '*' }).configuration.VCP_CORS_ORIGINS).toEqual(['*']);
  });
});
