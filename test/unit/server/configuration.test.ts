import { describe, expect, it } from 'vitest';
import { isSecretVariable, loadConfiguration } from '../../../src/server/configuration.ts';

const DIGEST = 'aB'.repeat(32);
const PUBLIC_KEY = { kty: 'OKP', crv: 'Ed25519', x: 'x'.repeat(43) };
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
  const bare = 'must be without a user, a query and a fragment';
  const additions =
    'must be a JSON object without a model, such as {"generationConfig":{"responseModalities":["TEXT","IMAGE"]}}';
  const keys = 'must be a JSON array of public Ed25519 keys, such as [{"kty":"OKP","crv":"Ed25519","x":"…"}]';
  const pairs = 'must be pairs such as alias=model, separated by commas';
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
    ['VCP_UPSTREAM_URL', 'api.example/v1', 'must be an http or https address'],
    ['VCP_UPSTREAM_URL', 'https://me:secret@api.example/v1', bare],
    ['VCP_UPSTREAM_URL', 'https://api.example/v1?key=secret', bare],
    ['VCP_INBOX_KEY', 'two words', 'must be printable ASCII characters without a space'],
    ['VCP_CALLBACK_URL', 'receiver.example', 'must be an http or https address'],
    ['VCP_CALLBACK_URL', 'https://receiver.example/?token=x', bare],
    ['VCP_TASK_PUBLIC_KEYS', 'none', keys],
    ['VCP_TASK_PUBLIC_KEYS', '[]', keys],
    ['VCP_TASK_PUBLIC_KEYS', JSON.stringify([{ ...PUBLIC_KEY, d: 'private' }]), keys],
    ['VCP_UPSTREAM_KEY', 'two words', 'must be printable ASCII characters without a space'],
    ['VCP_UPSTREAM_KIND', 'azure', 'must be openai, anthropic or gemini'],
    ['VCP_MODEL_REDIRECTS', 'fast', pairs],
    ['VCP_MODEL_REDIRECTS', 'fast=', pairs],
    ['VCP_MODEL_REDIRECTS', 'same=same', pairs],
    ['VCP_MODEL_REDIRECTS', 'a=b,a=c', 'has an alias twice'],
    ['VCP_LOCALE', 'no language!', 'must be a language such as en, zh or zh-CN'],
    [
      'VCP_EXPAND_ROLES',
      'system,everybody',
      'must be roles out of system, developer, user, assistant, tool, separated by commas',
    ],
    ['VCP_REQUIRED_PREPROCESSORS', 'Guard', 'names Guard, which is not in VCP_PREPROCESSORS'],
    ['VCP_TIMEZONE', 'Mars/Olympus', 'must be an IANA time zone such as Europe/Berlin or Asia/Shanghai'],
    ['VCP_TIMEZONE', '+01:00', 'must be an IANA time zone such as Europe/Berlin or Asia/Shanghai'],
    ['VCP_IMAGE_REQUEST_ADDITIONS', '{"n":', additions],
    ['VCP_IMAGE_REQUEST_ADDITIONS', '[1]', additions],
    ['VCP_IMAGE_REQUEST_ADDITIONS', '{"model":"other"}', additions],
    ['VCP_IMAGE_RESPONSES', 'links', 'must be untouched or resources'],
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

describe('what fills system messages', () => {
  it('is for system and developer messages, in English, without preprocessors', () => {
    expect(loadedOf({}).configuration).toMatchObject({
      VCP_EXPAND_ROLES: ['system', 'developer'],
      VCP_LOCALE: 'en',
      VCP_PREPROCESSORS: [],
      VCP_REQUIRED_PREPROCESSORS: [],
    });
  });

  it('may require what is among the preprocessors', () => {
    const given = { VCP_PREPROCESSORS: 'Guard, Shorten', VCP_REQUIRED_PREPROCESSORS: 'Guard' };
    expect(loadedOf(given).configuration.VCP_PREPROCESSORS).toEqual(['Guard', 'Shorten']);
  });
});

describe('a variable', () => {
  it('of the command line is none that the server does not know', () => {
    expect(loadedOf({ VCP_URL: 'http://127.0.0.1:6005' }).warnings).toEqual([]);
  });

  it('of the upstream may name this machine, and models by other names', () => {
    const variables = {
      VCP_UPSTREAM_URL: 'http://127.0.0.1:11434/v1',
      VCP_UPSTREAM_KEY: 'none',
      VCP_MODEL_REDIRECTS: 'fast=org/gpt-mini:8b, best=gpt-large',
    };
    expect(loadedOf(variables).configuration).toMatchObject({
      VCP_UPSTREAM_URL: 'http://127.0.0.1:11434/v1',
      VCP_UPSTREAM_KEY: 'none',
      VCP_UPSTREAM_KIND: 'openai',
      VCP_MODEL_REDIRECTS: ['fast=org/gpt-mini:8b', 'best=gpt-large'],
    });
    expect(isSecretVariable('VCP_UPSTREAM_KEY')).toBe(true);
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

describe('the white lists', () => {
  it('are read under their names in the overview too', () => {
    const { configuration, warnings } = loadedOf({
      WhitelistEmbeddingModel: 'text-embedding-3-small, bge-m3,',
      WhitelistImageModel: 'gpt-image-1',
    });
    expect(configuration.VCP_WHITELIST_EMBEDDING_MODELS).toEqual(['text-embedding-3-small', 'bge-m3']);
    expect(configuration.VCP_WHITELIST_IMAGE_MODELS).toEqual(['gpt-image-1']);
    expect(warnings).toEqual([]);
  });

  it('are those of our own names where both are there', () => {
    const both = { WhitelistImageModel: 'a', VCP_WHITELIST_IMAGE_MODELS: 'b' };
    const { configuration, warnings } = loadedOf(both);
    expect(configuration.VCP_WHITELIST_IMAGE_MODELS).toEqual(['b']);
    expect(warnings).toEqual([
      { name: 'WhitelistImageModel', message: 'is passed over, since VCP_WHITELIST_IMAGE_MODELS is set' },
    ]);
  });

  it('are warned about where nothing can pass', () => {
    const { warnings } = loadedOf({ VCP_WHITELIST_IMAGE_MODELS: 'a', VCP_UPSTREAM_KIND: 'gemini' });
    expect(warnings).toEqual([
      {
        name: 'VCP_WHITELIST_IMAGE_MODELS',
        message: 'is without effect: VCP_UPSTREAM_KIND is gemini, and only requests to the kind openai pass',
      },
    ]);
  });
});

it('takes what is added to requests for images as JSON', () => {
  const text = '{"generationConfig":{"responseModalities":["TEXT","IMAGE"]},"n":null}';
  const { configuration } = loadedOf({ VCP_IMAGE_REQUEST_ADDITIONS: text });
  expect(configuration.VCP_IMAGE_REQUEST_ADDITIONS).toEqual({
    generationConfig: { responseModalities: ['TEXT', 'IMAGE'] },
    n: null,
  });
  expect(configuration.VCP_IMAGE_RESPONSES).toBe('untouched');
});

describe('a receiver', () => {
  it('is named with its key', () => {
    const url = { VCP_INBOX_URL: 'https://receiver.example' };
    expect(errorsOf(url)).toEqual([
      { name: 'VCP_INBOX_KEY', message: 'is not set; it is the key of the receiver at VCP_INBOX_URL' },
    ]);
    expect(errorsOf({ ...url, VCP_INBOX_KEY: 'key' })).toEqual([]);
    expect(isSecretVariable('VCP_INBOX_KEY')).toBe(true);
    const given = { VCP_TASK_PUBLIC_KEYS: JSON.stringify([PUBLIC_KEY]) };
    expect(loadedOf(given).configuration.VCP_TASK_PUBLIC_KEYS).toEqual([PUBLIC_KEY]);
  });
});
