import { z } from 'zod';
import { JsonValue } from './json.ts';

/** §6.2, in the order of the specification. */
export const ERROR_CATEGORIES = {
  domain: 'a business rule of the tool was not met',
  validation: 'arguments or result did not fit their schema',
  approval: 'a person refused the call or did not answer in time',
  authorization: 'the caller lacks the permission or gave a wrong code',
  transport: 'the process, socket or network under the tool failed',
  protocol: 'the tool answered in a way that the protocol forbids',
  dependency: 'an API, database or file that the tool needs failed',
  runtime: 'the runtime itself failed',
  cancelled: 'the call was cancelled',
  timeout: 'the call took longer than it may',
} as const;

export const ErrorCategory = z.enum(Object.keys(ERROR_CATEGORIES) as [keyof typeof ERROR_CATEGORIES]);
export type ErrorCategory = z.infer<typeof ErrorCategory>;

/** What a plugin may say of its own errors; the other categories are the core's to give. */
export const PLUGIN_ERROR_CATEGORIES: ReadonlySet<ErrorCategory> = new Set(['domain', 'validation', 'dependency']);

type CodeFacts = { readonly category: ErrorCategory; readonly meaning: string };

/** §6.3: the mandatory codes, each with the category that the core gives it. */
export const STANDARD_ERROR_CODES = {
  INVALID_ARGUMENT: { category: 'validation', meaning: 'an argument does not fit the input schema' },
  MISSING_ARGUMENT: { category: 'validation', meaning: 'a required argument is absent' },
  UNKNOWN_COMMAND: { category: 'validation', meaning: 'the tool has no such command' },
  TOOL_NOT_FOUND: { category: 'validation', meaning: 'no tool of that name is registered' },
  TOOL_DISABLED: { category: 'runtime', meaning: 'the tool is registered but switched off' },
  APPROVAL_REJECTED: { category: 'approval', meaning: 'the approver refused the call' },
  APPROVAL_TIMEOUT: { category: 'approval', meaning: 'nobody decided in time' },
  UNAUTHORIZED: { category: 'authorization', meaning: 'the caller is not known' },
  FORBIDDEN: { category: 'authorization', meaning: 'the caller, or the tool, may not do that' },
  DEPENDENCY_UNAVAILABLE: { category: 'dependency', meaning: 'something the tool needs cannot be reached' },
  UPSTREAM_ERROR: { category: 'dependency', meaning: 'an upstream service answered with an error' },
  FILE_NOT_FOUND: { category: 'dependency', meaning: 'a file that was named does not exist' },
  RESOURCE_TOO_LARGE: { category: 'validation', meaning: 'a resource exceeds its size limit' },
  UNSUPPORTED_MEDIA_TYPE: { category: 'validation', meaning: 'a resource is of a type that is not accepted' },
  TOOL_TIMEOUT: { category: 'timeout', meaning: 'the call reached its deadline' },
  TOOL_CANCELLED: { category: 'cancelled', meaning: 'the call was cancelled' },
  TRANSPORT_FAILURE: { category: 'transport', meaning: 'the tool process or connection failed' },
  INVALID_TOOL_RESULT: { category: 'protocol', meaning: 'the tool returned something other than a valid result' },
  DISTRIBUTED_NODE_OFFLINE: { category: 'transport', meaning: 'the node that serves the tool is away' },
  INTERNAL_ERROR: { category: 'runtime', meaning: 'the runtime met a fault of its own' },
} as const satisfies Record<string, CodeFacts>;

export type StandardErrorCode = keyof typeof STANDARD_ERROR_CODES;

/** Codes of the core beyond §6.3, in its own namespace. */
export const CORE_ERROR_CODES = {
  'VCP.OVERLOADED': { category: 'runtime', meaning: 'the queue of the tool is full; try again later' },
} as const satisfies Record<string, CodeFacts>;

export type CoreErrorCode = StandardErrorCode | keyof typeof CORE_ERROR_CODES;

/** One of §6.3, or `NAMESPACE.CODE`. */
export const ErrorCode = z
  .string()
  .max(128)
  .refine((code) => Object.hasOwn(STANDARD_ERROR_CODES, code) || /^[A-Z][A-Z0-9_]*(\.[A-Z][A-Z0-9_]*)+$/.test(code), {
    error:
      'must be one of the standard codes (docs/protocol.md lists them), or one with a namespace of yours, such as "WORDS.EMPTY"',
  })
  .meta({
    anyOf: [{ enum: Object.keys(STANDARD_ERROR_CODES) }, { pattern: '^[A-Z][A-Z0-9_]*(\\.[A-Z][A-Z0-9_]*)+$' }],
  });

/** Why it failed underneath: a code and a sentence, never a stack trace. */
export const ErrorCause = z.strictObject({
  code: z.string().max(128).nullable().default(null),
  message: z.string().max(65_536),
});

const errorFields = {
  code: ErrorCode,
  message: z.string().min(1).max(65_536),
  retryable: z.boolean().default(false),
  target: z
    .string()
    .max(1_024)
    .nullable()
    .default(null)
    .meta({ description: 'Dotted path of the argument or field that is at fault.' }),
  details: JsonValue.nullable().default(null),
  cause: ErrorCause.nullable().default(null),
};

/** An error as a plugin states it (§5.2). `category` is optional; the core has the last word on it. */
export const PluginError = z
  .strictObject({ ...errorFields, category: ErrorCategory.optional() })
  .meta({ id: 'plugin-error', title: 'PluginError', description: 'An error as a plugin states it (§5.2, §6.1).' });
export type PluginError = z.infer<typeof PluginError>;

/** An error as every consumer reads it (§6.1). */
export const ToolError = z
  .strictObject({
    code: errorFields.code,
    message: errorFields.message,
    category: ErrorCategory,
    retryable: errorFields.retryable,
    target: errorFields.target,
    details: errorFields.details,
    cause: errorFields.cause,
  })
  .meta({ id: 'tool-error', title: 'ToolError', description: 'An error in a canonical result (§6.1).' });
export type ToolError = z.infer<typeof ToolError>;
