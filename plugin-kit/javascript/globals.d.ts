// What a sandboxed plugin finds beside the language itself. There are no timers, no fetch, no Intl and no modules of Node.
import type { URL as KitURL, URLSearchParams as KitURLSearchParams } from 'whatwg-url-minimum';
import type { console as kitConsole } from './runtime/console.ts';
import type { TextDecoder as KitTextDecoder, TextEncoder as KitTextEncoder } from './runtime/text-coding.ts';

declare global {
  /** Writes to the server's log; needs `permissions.log`, and is silent without it. */
  const console: typeof kitConsole;
  const TextEncoder: typeof KitTextEncoder;
  type TextEncoder = KitTextEncoder;
  /** UTF-8 alone. */
  const TextDecoder: typeof KitTextDecoder;
  type TextDecoder = KitTextDecoder;
  /** Hosts with other than ASCII letters have to be in Punycode. */
  const URL: typeof KitURL;
  type URL = KitURL;
  const URLSearchParams: typeof KitURLSearchParams;
  type URLSearchParams = KitURLSearchParams;
}
