import { z } from 'zod';
import { DEFAULT_LIMITS, MAY_BE_NOTHING, type Limits } from '../lib/limits.ts';
import { parseAddressRange } from '../lib/address-policy.ts';
import { suggestName } from '../lib/suggest.ts';
import { isTimeZone } from '../lib/time-zone.ts';
import {
  aliasOf,
  isBareAddress,
  isLocale,
  isOrigin,
  jsonObject,
  list,
  listOf,
  MODEL_REDIRECT,
  publicKeys,
  wholeNumber,
} from './variable-types.ts';

/** Other names for variables, from the specification's overview. */
const ALIASES: Readonly<Record<string, string>> = {
  WhitelistEmbeddingModel: 'VCP_WHITELIST_EMBEDDING_MODELS',
  WhitelistImageModel: 'VCP_WHITELIST_IMAGE_MODELS',
};

/** Variables that other parts of the product read, beside the server's own. */
const OTHER_VARIABLES = ['VCP_URL', 'VCP_COMPLETION_MS'];

/** `VCP_*` variables, from the environment or an env file. */
export const Configuration = z.object({
  VCP_HOST: z.string().min(1).default('127.0.0.1').meta({ description: 'Address to listen on.' }),
  VCP_PORT: wholeNumber(0, 65_535).default(6005).meta({ description: 'Port to listen on; 0 takes a free one.' }),
  VCP_DATA_DIR: z.string().min(1).default('./data').meta({
    description:
      'Directory of the database, resources, plugin data and the generated key; relative to the working directory.',
  }),
  VCP_PLUGIN_DIRS: list.optional().meta({
    description:
      'Directories that hold plugins, separated by commas; each plugin is a folder in one of them. Without it, the bundled plugins are served; with it, only those (add plugins-stdio, plugins-direct and plugins-wasm to keep them).',
    live: true,
  }),
  VCP_API_KEY: z.string().min(16, { error: 'must have at least 16 characters' }).optional().meta({
    description:
      'The bearer key, at least 16 characters. Without it, one is made at the first start and kept in the data directory.',
    secret: true,
  }),
  VCP_API_KEYS_FILE: z.string().min(1).optional().meta({
    description:
      'File of further keys, with roles, tools and rate limits; `vcp keys` writes it. Without it, `keys.json` in the data directory when it is there.',
  }),
  VCP_API_KEYS: z.string().min(1).optional().meta({
    description:
      'The content of such a file, for Workers, which have no files (they hold hashes, no keys); elsewhere it is not read.',
  }),
  VCP_APPROVAL_RULES_FILE: z.string().min(1).optional().meta({
    description:
      'File of rules that say which calls need a person’s approval. Without it, `approval-rules.json` in the data directory when it is there.',
  }),
  VCP_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .meta({ description: 'Address under which clients reach this server; used in resource URLs.' }),
  VCP_SIGNING_KEY: listOf((key) => key.length >= 32, 'must be keys of at least 32 characters, separated by commas')
    .default([])
    .meta({
      description:
        'Keys that sign addresses of resources and tokens of callbacks, at least 32 characters each, separated by commas: the first signs, all are accepted, so put a new one in front and take the old one away when its last link has expired. Without it, one is made at the first start and kept in the data directory.',
      secret: true,
    }),
  VCP_CALLBACK_URL_TOKENS: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false').meta({
    description:
      'Whether callbacks of asynchronous plugins may carry their token in the address (`?token=`), for services that take an address and no header. Addresses end up in logs of others: leave it off where nothing needs it.',
    live: true,
  }),
  VCP_INBOX_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true })
    .refine((text) => isBareAddress(text), { error: 'must be without a user, a query and a fragment' })
    .optional()
    .meta({
      description:
        'Address of a receiver that takes callbacks of asynchronous plugins also while this server is away (docs/edge.md). The server looks there for them; plugins are told to call back there, unless VCP_CALLBACK_URL says otherwise.',
    }),
  VCP_INBOX_KEY: z
    .string()
    .regex(/^[!-~]+$/, { error: 'must be printable ASCII characters without a space' })
    .optional()
    .meta({
      description: 'Key of the receiver, of an operator there. It goes to VCP_INBOX_URL and nowhere else.',
      secret: true,
    }),
  VCP_CALLBACK_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true })
    .refine((text) => isBareAddress(text), { error: 'must be without a user, a query and a fragment' })
    .optional()
    .meta({
      description:
        'Address that asynchronous plugins are told to call back at. Without it, VCP_INBOX_URL, or else the address of this server.',
    }),
  VCP_TASK_PUBLIC_KEYS: publicKeys.optional().meta({
    description:
      'For a receiver on Workers: the public keys of the tokens that its server gives to plugins, as a JSON array of JWKs. `vcp edge build --receiver` writes it; elsewhere it is not read.',
  }),
  VCP_SERVER_ID: z.string().min(1).max(128).default('local').meta({ description: 'Name of this server in results.' }),
  VCP_TIMEZONE: z
    .string()
    .refine(isTimeZone, { error: 'must be an IANA time zone such as Europe/Berlin or Asia/Shanghai' })
    .optional()
    .meta({
      description:
        'IANA time zone of schedules that name none, of refreshCron, and of the times that models and plugins are told. Without it, that of the system.',
    }),
  VCP_LOCALE: z.string().refine(isLocale, { error: 'must be a language such as en, zh or zh-CN' }).default('en').meta({
    description:
      'Language of what the server writes for models in system messages: the name of the weekday, and how to call tools (Chinese for zh, else English).',
  }),
  VCP_PROMPT_DIR: z.string().min(1).optional().meta({
    description:
      'Directory of the texts that variables of system messages name, and of `agents`. Without it, `prompts` in the data directory.',
  }),
  VCP_EXPAND_ROLES: listOf(
    (role) => ['system', 'developer', 'user', 'assistant', 'tool'].includes(role),
    'must be roles out of system, developer, user, assistant, tool, separated by commas',
  )
    .default(['system', 'developer'])
    .meta({
      description:
        'Roles of the messages in which `{{variables}}` are filled in, separated by commas. With user, whoever writes a message can have any variable shown.',
    }),
  VCP_PREPROCESSORS: list.default([]).meta({
    description: 'Message preprocessors that chat requests pass, in this order, separated by commas.',
    live: true,
  }),
  VCP_REQUIRED_PREPROCESSORS: list.default([]).meta({
    description:
      'Those of VCP_PREPROCESSORS without which a request is refused; when another one fails, the request goes on without it.',
    live: true,
  }),
  VCP_LOG_LEVEL: z
    .enum(['debug', 'info', 'warning', 'error'], { error: 'must be debug, info, warning or error' })
    .default('info')
    .meta({ description: 'Least severe level that is logged: debug, info, warning or error.', live: true }),
  VCP_SHUTDOWN_MS: wholeNumber(0, 600_000)
    .default(10_000)
    .meta({ description: 'Milliseconds that running calls may take to end when the server stops.' }),
  VCP_CORS_ORIGINS: listOf(isOrigin, 'must be origins such as https://app.example, without a path, separated by commas')
    .default([])
    .meta({ description: 'Origins whose pages may call this server, separated by commas.', live: true }),
  VCP_TRUSTED_MODULES: listOf(
    (item) => /^[0-9a-f]{64}$/i.test(item),
    'must be SHA-256 digests of 64 hexadecimal digits, separated by commas',
  )
    .transform((digests) => digests.map((digest) => digest.toLowerCase()))
    .default([])
    .meta({
      description:
        'SHA-256 of in-process modules that may be loaded, each over all files that the module can import, separated by commas.',
      live: true,
    }),
  VCP_OPEN_NETWORKS: listOf(
    (item) => parseAddressRange(item) !== null,
    'must be addresses or ranges such as 10.1.0.0/16 or fd00:1::/32, separated by commas',
  )
    .default([])
    .meta({
      description:
        'Addresses and ranges that WebAssembly plugins with the permission may reach by HTTP although they are not public, separated by commas. Without it, no host of this machine or its networks.',
    }),
  VCP_UPSTREAM_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true })
    .refine((text) => isBareAddress(text), { error: 'must be without a user, a query and a fragment' })
    .optional()
    .meta({
      description:
        'Address of the interface that chat requests are answered by, such as https://api.openai.com/v1; it may be one of this machine. Without a path, the one that its kind usually has. Without it, there is no chat.',
    }),
  VCP_UPSTREAM_KEY: z
    .string()
    .regex(/^[!-~]+$/, { error: 'must be printable ASCII characters without a space' })
    .optional()
    .meta({ description: 'Key for the upstream. It goes to VCP_UPSTREAM_URL and nowhere else.', secret: true }),
  VCP_UPSTREAM_KIND: z
    .enum(['openai', 'anthropic', 'gemini'], { error: 'must be openai, anthropic or gemini' })
    .default('openai')
    .meta({
      description:
        'What the upstream speaks: openai (Chat Completions, and the many servers that speak the same), anthropic (Messages) or gemini (generateContent).',
    }),
  VCP_MODEL_REDIRECTS: listOf(
    (item) => MODEL_REDIRECT.test(item),
    'must be pairs such as alias=model, separated by commas',
  )
    .refine((items) => new Set(items.map(aliasOf)).size === items.length, { error: 'has an alias twice' })
    .default([])
    .meta({
      description:
        'Other names for models, as pairs alias=model separated by commas: a request for the alias is answered by the model, under the alias.',
    }),
  VCP_WHITELIST_EMBEDDING_MODELS: list.default([]).meta({
    description:
      'Embedding models whose requests and answers pass byte for byte, separated by commas and compared without case; WhitelistEmbeddingModel is the same. For an upstream of the kind openai.',
  }),
  VCP_WHITELIST_IMAGE_MODELS: list.default([]).meta({
    description:
      'Image models whose requests pass by preparation and tools, separated by commas and compared without case; WhitelistImageModel is the same. For an upstream of the kind openai.',
  }),
  VCP_IMAGE_REQUEST_ADDITIONS: jsonObject(
    (value) => !('model' in value),
    'must be a JSON object without a model, such as {"generationConfig":{"responseModalities":["TEXT","IMAGE"]}}',
  )
    .default({})
    .meta({
      description:
        'JSON object that is merged into requests for image models (RFC 7396: its values win, null takes a field away).',
    }),
  VCP_IMAGE_RESPONSES: z
    .enum(['untouched', 'resources'], { error: 'must be untouched or resources' })
    .default('untouched')
    .meta({
      description:
        'What becomes of images in the answers of image models: untouched, or resources (Base64 is kept as a resource of the caller, and its address is in its place).',
    }),
  VCP_CHAT_TOOL_USE: z.enum(['text', 'native', 'off'], { error: 'must be text, native or off' }).default('text').meta({
    description:
      'How models call tools: text (TOOL_REQUEST blocks in what they say, any model), native (functions of the vendor) or off. A request may say otherwise.',
  }),
  VCP_CHAT_TOOL_PROMPT: z.enum(['auto', 'variables'], { error: 'must be auto or variables' }).default('auto').meta({
    description:
      'How models that call tools by text come to know of them: auto (added to the system message, unless it names tools itself) or variables (only by {{VCPAllTools}} and the like).',
  }),
  VCP_CHAT_DISPLAY: z
    .enum(['hidden', 'summary', 'shown'], { error: 'must be hidden, summary or shown' })
    .default('hidden')
    .meta({ description: 'What is seen of a call in an answer: nothing, a line that names the tool, or its text.' }),
  VCP_CHAT_MEDIA: z.enum(['auto', 'none'], { error: 'must be auto or none' }).default('auto').meta({
    description:
      'Which files of results models are given: auto (pictures and sounds that the interface of the upstream takes) or none (for models that see nothing; they read that there is a file). A request may say otherwise.',
  }),
  VCP_CHAT_RUN_FENCED: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .transform((value) => value === 'true')
    .meta({ description: 'Whether TOOL_REQUEST blocks in fenced code are calls too.' }),
  VCP_WATCH: z.enum(['true', 'poll', 'false'], { error: 'must be true, poll or false' }).default('true').meta({
    description:
      'How changed plugins and a changed config.env are noticed: true by events of the file system, poll by looking every VCP_LIMIT_RELOAD_POLL_MS (for file systems without events), false only when told to (vcp plugins reload, SIGHUP).',
  }),
});
export type Configuration = z.infer<typeof Configuration>;

export type ConfigurationNote = { readonly name: string; readonly message: string };

export type LoadedConfiguration =
  | {
      readonly ok: true;
      readonly configuration: Configuration;
      readonly limits: Limits;
      readonly warnings: readonly ConfigurationNote[];
    }
  | { readonly ok: false; readonly errors: readonly ConfigurationNote[] };

/** Each limit is a variable too: `frameBytes` is `VCP_LIMIT_FRAME_BYTES`. */
export const limitVariable = (limit: string): string =>
  `VCP_LIMIT_${limit.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];

/** Milliseconds that a manifest may let a call take. */
const LONGEST_DECLARED_MS = 86_400_000;

/** Reads the variables: all faults at once, each with its name; unknown `VCP_*` names are warned about. */
export const loadConfiguration = (variables: Readonly<Record<string, string | undefined>>): LoadedConfiguration => {
  // An empty value is how env files switch a variable off.
  const given = Object.fromEntries(
    Object.entries(variables).filter(([name, value]) => name.startsWith('VCP_') && value !== undefined && value !== ''),
  );
  const overruled: ConfigurationNote[] = [];
  for (const [alias, name] of Object.entries(ALIASES)) {
    const value = variables[alias];
    if (value === undefined || value === '') continue;
    if (given[name] === undefined) given[name] = value;
    else if (given[name] !== value) overruled.push({ name: alias, message: `is passed over, since ${name} is set` });
  }
  const known = [...Object.keys(Configuration.shape), ...LIMIT_NAMES.map(limitVariable), ...OTHER_VARIABLES];
  const unknown = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = suggestName(name, known);
      return { name, message: `is not known${near === null ? '' : `; did you mean ${near}?`}` };
    });

  const parsed = Configuration.safeParse(given);
  const warnings = [...unknown, ...overruled, ...withoutEffect(parsed.data)];
  const errors: ConfigurationNote[] = parsed.success
    ? []
    : parsed.error.issues.map((issue) => ({ name: String(issue.path[0]), message: issue.message }));
  const limits: Record<string, number> = { ...DEFAULT_LIMITS };
  for (const name of LIMIT_NAMES) {
    const text = given[limitVariable(name)];
    if (text === undefined) continue;
    const value = Number(text);
    const least = MAY_BE_NOTHING.has(name) ? 0 : 1;
    if (Number.isSafeInteger(value) && value >= least) limits[name] = value;
    else errors.push({ name: limitVariable(name), message: `must be a whole number, at least ${least}` });
  }
  const longestCall = Math.max(LONGEST_DECLARED_MS, limits['callTimeoutMs'] ?? 0, limits['taskMs'] ?? 0);
  if ((limits['blobGraceMs'] ?? 0) <= longestCall)
    errors.push({
      name: limitVariable('blobGraceMs'),
      message: `must be more than ${longestCall}, the milliseconds that the longest call or task may take: the bytes of a running one would be removed`,
    });
  if (parsed.data?.VCP_INBOX_URL !== undefined && parsed.data.VCP_INBOX_KEY === undefined)
    errors.push({ name: 'VCP_INBOX_KEY', message: 'is not set; it is the key of the receiver at VCP_INBOX_URL' });
  const unlisted = parsed.data?.VCP_REQUIRED_PREPROCESSORS.find(
    (name) => !parsed.data.VCP_PREPROCESSORS.includes(name),
  );
  if (unlisted !== undefined)
    errors.push({
      name: 'VCP_REQUIRED_PREPROCESSORS',
      message: `names ${unlisted}, which is not in VCP_PREPROCESSORS`,
    });
  return parsed.success && errors.length === 0
    ? { ok: true, configuration: parsed.data, limits: limits as Limits, warnings }
    : { ok: false, errors };
};

/** White lists are for upstreams that speak as their clients do. */
const withoutEffect = (configuration: Configuration | undefined): readonly ConfigurationNote[] => {
  if (configuration === undefined || configuration.VCP_UPSTREAM_KIND === 'openai') return [];
  const message = `is without effect: VCP_UPSTREAM_KIND is ${configuration.VCP_UPSTREAM_KIND}, and only requests to the kind openai pass`;
  return (['VCP_WHITELIST_EMBEDDING_MODELS', 'VCP_WHITELIST_IMAGE_MODELS'] as const)
    .filter((name) => configuration[name].length > 0)
    .map((name) => ({ name, message }));
};

/** Whether a variable's value is never shown. */
export const isSecretVariable = (name: string): boolean => isMarked(name, 'secret');

/** Whether a running server takes over a new value of the variable. */
export const isLiveVariable = (name: string): boolean => isMarked(name, 'live');

const isMarked = (name: string, mark: 'secret' | 'live'): boolean =>
  (Configuration.shape as Record<string, z.ZodType>)[name]?.meta()?.[mark] === true;
