const TIMERS = 'there are no timers: the plugin stands still while it waits, and time stands still during a call';
const NODE = 'there is no Node in a sandbox';

/** What stands in the place of globals that authors and libraries are used to. */
const ADVICE: Readonly<Record<string, string>> = {
  fetch: "there is no fetch; use http.get or http.request of 'vcp-plugin', with permissions.http in the manifest",
  XMLHttpRequest: "use http.request of 'vcp-plugin', with permissions.http in the manifest",
  setTimeout: TIMERS,
  setInterval: TIMERS,
  setImmediate: TIMERS,
  Intl: 'there is no Intl; bring a package that formats without it',
  Buffer: `${NODE}; use Uint8Array, TextEncoder and TextDecoder`,
  process: `${NODE}; settings come from config.get of 'vcp-plugin'`,
  require: `${NODE}; use import, and the build bundles it`,
  crypto: 'there is no crypto; Math.random() follows from the seed of the call',
};

/** What an exception says, with what to do when it is about a global that a sandbox has not got. */
export function withAdvice(message: string): string {
  const name = /^'?(\w+)'? is not defined/.exec(message)?.[1];
  const advice = name !== undefined && Object.hasOwn(ADVICE, name) ? ADVICE[name] : undefined;
  return advice === undefined ? message : `${message} (${advice})`;
}
