import { excerpt } from '../../lib/excerpt.ts';
import { TransportError } from '../../ports/transport.ts';
import type { SandboxFault, SandboxLimits, SandboxOutcome } from '../../ports/wasm-sandbox.ts';
import type { PluginManifest } from '../../protocol/manifest.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** Characters of what a guest or the engine said. */
const MOST_CHARACTERS = 2_000;

type Verdict = {
  readonly code: TransportError['code'];
  readonly message: string;
  readonly details?: JsonObject;
  readonly retryable?: boolean;
};

/**
 * How a run that came to nothing is told to the caller. `details.fault` names what happened, `details.limit` the limit
 * of the manifest or the server that it ran into, with its value beside it.
 *
 * | fault | code | details |
 * | --- | --- | --- |
 * | out-of-fuel | TOOL_TIMEOUT, status `timeout` | limit `fuel` |
 * | out-of-memory | INTERNAL_ERROR | limit `memoryPages` |
 * | out-of-host-memory | INTERNAL_ERROR | limit `hostBytes` |
 * | stack-overflow | INTERNAL_ERROR | limit `stack` |
 * | output-too-large | INVALID_TOOL_RESULT | limit `outputBytes` |
 * | trap, missing-export, guest-error, host-misuse | INTERNAL_ERROR | |
 * | sandbox-lost | TRANSPORT_FAILURE, retryable | |
 */
export const sandboxFailure = (
  { fault, message }: Extract<SandboxOutcome, { type: 'fault' }>,
  limits: SandboxLimits,
  droppedLogBytes: number,
  asked: NonNullable<PluginManifest['limits']> = {},
): TransportError => {
  const said = excerpt(message, MOST_CHARACTERS).toWellFormed() || 'without a message';
  const verdict = VERDICTS[fault](said, limits, (limit) => whoseLimit(limit, limits[limit], asked[limit]));
  const { code, details = {}, retryable = false } = verdict;
  const dropped: JsonObject = droppedLogBytes > 0 ? { droppedLogBytes } : {};
  return new TransportError(code, verdict.message, { fault, ...details, ...dropped }, retryable);
};

const failed = (message: string, details: JsonObject = {}): Verdict => ({ code: 'INTERNAL_ERROR', message, details });

type BothLimit = 'fuel' | 'memoryPages' | 'outputBytes';

const SETTINGS: Readonly<Record<BothLimit, string>> = {
  fuel: 'VCP_LIMIT_WASM_FUEL',
  memoryPages: 'VCP_LIMIT_WASM_MEMORY_PAGES',
  outputBytes: 'VCP_LIMIT_WASM_OUTPUT_BYTES',
};

/** Where the limit that was met can be raised: the smaller of the manifest's and the server's holds. */
const whoseLimit = (limit: BothLimit, value: number, asked: number | undefined): string =>
  asked === value
    ? `limits.${limit} of its manifest says so, which may be as high as the server's ${SETTINGS[limit]}`
    : `the operator of the server may raise it with ${SETTINGS[limit]}`;

type Advice = (limit: BothLimit) => string;

const VERDICTS: Readonly<Record<SandboxFault, (said: string, limits: SandboxLimits, advice: Advice) => Verdict>> = {
  'out-of-fuel': (_, { fuel }, advice) => ({
    code: 'TOOL_TIMEOUT',
    message: `the plugin used up its fuel of ${fuel} instructions; ${advice('fuel')}`,
    details: { limit: 'fuel', fuel },
  }),
  'out-of-memory': (_, { memoryPages }, advice) =>
    failed(`the plugin needed more memory than its ${memoryPages} pages of 64 KiB; ${advice('memoryPages')}`, {
      limit: 'memoryPages',
      memoryPages,
    }),
  'out-of-host-memory': (_, { hostBytes }) =>
    failed(
      `the plugin exchanged more than ${hostBytes} bytes with the server; ` +
        'the operator of the server may raise it with VCP_LIMIT_WASM_HOST_BYTES',
      { limit: 'hostBytes', hostBytes },
    ),
  'stack-overflow': () => failed('the plugin called itself too deep', { limit: 'stack' }),
  'output-too-large': (_, { outputBytes }, advice) => ({
    code: 'INVALID_TOOL_RESULT',
    message: `the plugin's output is larger than ${outputBytes} bytes; ${advice('outputBytes')}`,
    details: { limit: 'outputBytes', outputBytes },
  }),
  trap: (said) => failed(`the plugin trapped: ${said}`),
  'missing-export': (said) => failed(`the plugin's module cannot be called: ${said}`),
  'guest-error': (said) => failed(`the plugin failed: ${said}`),
  'host-misuse': (said) => failed(`the plugin misused a host function: ${said}`),
  'sandbox-lost': () => ({
    code: 'TRANSPORT_FAILURE',
    message: 'the sandbox of the plugin was lost',
    retryable: true,
  }),
};
