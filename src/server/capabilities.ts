/** The runtimes that this server runs on. */
export const RUNTIMES = { node: 'Node.js', deno: 'Deno', workers: 'Cloudflare Workers' } as const;
export type Runtime = keyof typeof RUNTIMES;

/** What a runtime makes of a capability: all of it, all of it with a condition, or nothing with the reason. */
export type Support =
  | { readonly is: 'yes' }
  | { readonly is: 'partly'; readonly note: string }
  | { readonly is: 'no'; readonly note: string };

export type Capability = { readonly name: string } & Readonly<Record<Runtime, Support>>;

const yes: Support = { is: 'yes' };
const partly = (note: string): Support => ({ is: 'partly', note });
const no = (note: string): Support => ({ is: 'no', note });

const everywhere = (name: string): Capability => ({ name, node: yes, deno: yes, workers: yes });
const notOnWorkers = (name: string, why: string): Capability => ({ name, node: yes, deno: yes, workers: no(why) });

/** What each runtime can do and cannot: `docs/capabilities.md` and `vcp doctor` show it. */
export const CAPABILITIES: readonly Capability[] = [
  everywhere('Calls over HTTP, with every view of a result'),
  everywhere('WebAssembly plugins: memory, tables, fuel, output and log are bounded'),
  {
    name: 'WebAssembly plugins: a call that computes ends at its deadline',
    node: yes,
    deno: yes,
    workers: no('nothing else runs while a guest computes: fuel ends it, and the CPU limit of the platform'),
  },
  everywhere('WebAssembly plugins: a call that waits for the host ends at its deadline'),
  {
    name: 'WebAssembly plugins: several compute at the same time',
    node: yes,
    deno: yes,
    workers: no('an isolate has one thread; the platform starts more isolates under load'),
  },
  {
    name: 'Plugins that are processes (stdio)',
    node: yes,
    deno: partly('needs --allow-run, and the processes are not held by the permissions of Deno'),
    workers: no('Workers start no processes'),
  },
  {
    name: 'Plugins that are modules inside the server',
    node: yes,
    deno: yes,
    workers: partly('bundled when the worker is built, with what nodejs_compat has of the library of Node'),
  },
  notOnWorkers('Plugins that come, change and go while the server runs', 'plugins are what was deployed'),
  notOnWorkers('Switching a plugin off while the server runs', 'plugins are what was deployed'),
  notOnWorkers('Files by localPath', 'a worker has no files'),
  everywhere('Resources by data URI, Base64, URL and through the writer; parts by Range'),
  notOnWorkers('Durations of sound and film', 'their parsers are a tenth of the worker'),
  {
    name: 'Results, records and idempotency keys that outlive the server',
    node: yes,
    deno: partly('the name of an actor with a NUL in it is cut there when a record is read'),
    workers: partly('in D1, which has no transactions across statements: each write is one batch'),
  },
  {
    name: 'Requests to addresses that data names (guarded fetch)',
    node: yes,
    deno: yes,
    workers: partly('addresses and redirects are judged; what a name leads to is kept public by the platform'),
  },
  {
    name: 'Keys with roles, tools and rate limits',
    node: yes,
    deno: yes,
    workers: partly('from the variable VCP_API_KEYS; each isolate counts its own rates'),
  },
  {
    name: 'Asynchronous tasks and their callbacks, approvals',
    node: yes,
    deno: yes,
    workers: partly(
      'overdue tasks and approved calls are looked after by the Cron trigger, each minute; no file of approval rules',
    ),
  },
  notOnWorkers(
    'Callbacks that a receiver has taken while the server was away',
    'a worker is never away, and asks no receiver',
  ),
  {
    name: 'Schedules',
    node: yes,
    deno: yes,
    workers: partly('a Cron trigger runs what is due once a minute: to the minute, and no more often'),
  },
  {
    name: 'Pushed events (WebSocket, event stream)',
    node: yes,
    deno: yes,
    workers: partly(
      'by one Durable Object; without lines of the log; what a slow client does not take, the platform holds',
    ),
  },
  {
    name: 'Chat completions, message preprocessors, requests that pass',
    node: yes,
    deno: yes,
    workers: partly('a conversation is interrupted by the isolate that has it, and by no other'),
  },
  notOnWorkers('Static plugins', 'nothing runs between requests that would ask them again'),
  notOnWorkers('Figures at /metrics', 'isolates come and go; the platform has figures of its own'),
  notOnWorkers('The API page at /docs', 'its files are not part of a worker; /openapi.json is'),
  {
    name: 'Removal of what has had its time',
    node: yes,
    deno: yes,
    workers: partly('when a cron trigger of wrangler.toml wakes the worker'),
  },
];

/** What a runtime cannot do, or only in part. */
export const lackingOn = (
  runtime: Runtime,
): readonly { readonly name: string; readonly support: Exclude<Support, { readonly is: 'yes' }> }[] =>
  CAPABILITIES.flatMap(({ name, [runtime]: support }) => (support.is === 'yes' ? [] : [{ name, support }]));
