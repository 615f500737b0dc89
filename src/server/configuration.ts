import { z } from 'zod';
import { DEFAULT_LIMITS, MAY_BE_NOTHING, type Limits } from '../lib/limits.ts';
import { parseAddressRange } from '../lib/address-policy.ts';
import { suggestName } from '../lib/suggest.ts';

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

const wholeNumber = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error });
};

const listOf = (fits: (item: string) => boolean, error: string) => list.refine((items) => items.every(fits), { error });

const isOrigin = (text: string): boolean => text === '*' || URL.parse(text)?.origin === text;

const isBareAddress = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && `${url.username}${url.password}${url.search}${url.hash}` === '';
};

/** Names of models have no equals sign, and an alias is not the model itself. */
const MODEL_REDIRECT = /^([^=]+)=(?!\1$)[^=]+$/;
const aliasOf = (redirect: string): string => redirect.slice(0, redirect.indexOf('=')).trim();
const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const isLocale = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
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
  VCP_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .meta({ description: 'Address under which clients reach this server; used in resource URLs.' }),
  VCP_SIGNING_KEY: listOf((key) => key.length >= 32, 'must be keys of at least 32 characters, separated by commas')
    .default([])
    .meta({
      description:
        'Keys that sign addresses of resources, at least 32 characters each, separated by commas: the first signs, all are accepted, so put a new one in front and take the old one away when its last link has expired. Without it, one is made at the first start and kept in the data directory.',
      secret: true,
    }),
  VCP_SERVER_ID: z.string().min(1).max(128).default('local').meta({ description: 'Name of this server in results.' }),
  VCP_TIMEZONE: z
    .string()
    .refine(isTimeZone, { error: 'must be a time zone such as Asia/Shanghai or UTC' })
    .optional()
    .meta({
      description:
        'Time zone of the dates and times that models are told, and of refreshCron; without it, that of the machine.',
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
  const known = [...Object.keys(Configuration.shape), ...LIMIT_NAMES.map(limitVariable), ...OTHER_VARIABLES];
  const warnings = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = suggestName(name, known);
      return { name, message: `is not known${near === null ? '' : `; did you mean ${near}?`}` };
    });

  const parsed = Configuration.safeParse(given);
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
  const longestCall = Math.max(LONGEST_DECLARED_MS, limits['callTimeoutMs'] ?? 0);
  if ((limits['blobGraceMs'] ?? 0) <= longestCall)
    errors.push({
      name: limitVariable('blobGraceMs'),
      message: `must be more than ${longestCall}, the milliseconds that the longest call may take: the bytes of a running call would be removed`,
    });
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

/** Whether a variable's value is never shown. */
export const isSecretVariable = (name: string): boolean => isMarked(name, 'secret');

/** Whether a running server takes over a new value of the variable. */
export const isLiveVariable = (name: string): boolean => isMarked(name, 'live');

const isMarked = (name: string, mark: 'secret' | 'live'): boolean =>
  (Configuration.shape as Record<string, z.ZodType>)[name]?.meta()?.[mark] === true;
