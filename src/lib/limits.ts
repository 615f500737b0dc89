/** Every limit of the runtime: its default, and what it bounds in which unit. `docs/configuration.md` prints them. */
export const LIMITS = {
  jsonDepth: { value: 64, meaning: 'Levels of nesting that a JSON text may have.' },
  jsonNodes: { value: 2_000_000, meaning: 'Values, containers included, that a JSON text may hold.' },
  frameBytes: { value: 16 * 1024 * 1024, meaning: 'Bytes of one stdio frame.' },
  stderrBytes: { value: 64 * 1024, meaning: "Bytes of a child's stderr that are kept, from its end." },
  progressFrames: { value: 10_000, meaning: 'Progress frames that one call may send before the rest is ignored.' },
  requestBodyBytes: { value: 16 * 1024 * 1024, meaning: 'Bytes of an HTTP request body.' },
  requestMs: {
    value: 30 * 60 * 1_000,
    meaning: 'Milliseconds in which a request must have come whole, uploads over slow lines too.',
  },
  callTimeoutMs: { value: 60_000, meaning: 'Milliseconds that a call may take when its manifest does not say.' },
  stdioConcurrency: { value: 8, meaning: 'Calls of one stdio tool that run at once when its manifest does not say.' },
  standbyProcesses: {
    value: 8,
    meaning: 'Processes of all stdio tools together that wait for their call; 0 starts every process with its call.',
  },
  standbyIdleMs: {
    value: 120_000,
    meaning: 'Milliseconds after the last call of a tool until its waiting processes end.',
  },
  workerConcurrency: {
    value: 32,
    meaning: 'Calls of one tool in worker mode that run at once when its manifest does not say.',
  },
  workerCalls: {
    value: 10_000,
    meaning: 'Calls after which a worker is replaced, when it is idle next; at twice as many in any case.',
  },
  workerMemoryBytes: {
    value: 512 * 1024 * 1024,
    meaning: 'Resident bytes of a worker above which it is replaced after its running calls.',
  },
  workerIdleMs: { value: 600_000, meaning: 'Milliseconds without a call after which a worker ends.' },
  directConcurrency: {
    value: 256,
    meaning: 'Calls of one in-process tool that run at once when its manifest does not say.',
  },
  wasmFuel: {
    value: 20_000_000_000,
    meaning: 'Instructions that one call of a WebAssembly plugin may run; bulk operations count by their length.',
  },
  wasmMemoryPages: { value: 1_024, meaning: "Pages of 64 KiB that a WebAssembly plugin's memory may have." },
  wasmHostBytes: {
    value: 64 * 1024 * 1024,
    meaning: 'Bytes of all blocks that a WebAssembly plugin and the server hand to each other in one call.',
  },
  wasmHostCalls: {
    value: 10_000,
    meaning: 'Host functions that one call of a WebAssembly plugin may call; log lines do not count, they have bytes.',
  },
  wasmOutputNodes: {
    value: 500_000,
    meaning: 'Values, containers included, that the output of a WebAssembly plugin may hold.',
  },
  wasmOutputBytes: { value: 16 * 1024 * 1024, meaning: 'Bytes of JSON that a WebAssembly plugin may answer with.' },
  wasmLogBytes: {
    value: 64 * 1024,
    meaning:
      'Bytes of log lines of one call of a WebAssembly plugin that are kept; each counts 256 more than its text.',
  },
  wasmHttpRequests: {
    value: 16,
    meaning: 'HTTP requests that one call of a WebAssembly plugin may make, redirects included.',
  },
  wasmHttpBytes: {
    value: 16 * 1024 * 1024,
    meaning: 'Bytes of all bodies, sent and received, of the HTTP requests of one call of a WebAssembly plugin.',
  },
  wasmHttpMs: {
    value: 30_000,
    meaning: 'Milliseconds that one HTTP request of a WebAssembly plugin may take, redirects included.',
  },
  wasmKvBytes: {
    value: 1024 * 1024,
    meaning: 'Bytes that one WebAssembly plugin may keep with kv_set; each value counts 128 bytes beside key and JSON.',
  },
  wasmWorkers: {
    value: 0,
    meaning:
      'Calls of WebAssembly plugins that run at once, each in a thread, of one plugin all but one; 0 is two a core and at least four.',
  },
  wasmQueuedRuns: { value: 1_024, meaning: 'Calls of all WebAssembly plugins that may wait for a thread.' },
  wasmWorkerRuns: { value: 10_000, meaning: 'Calls after which a thread of WebAssembly plugins is replaced.' },
  wasmWorkerMemoryBytes: {
    value: 256 * 1024 * 1024,
    meaning: 'Bytes of heap and buffers of such a thread above which it is replaced after its call.',
  },
  wasmIdleMs: { value: 120_000, meaning: 'Milliseconds without a call after which such a thread ends; one stays.' },
  queuedCalls: { value: 1_024, meaning: 'Calls of one tool that may wait for their turn.' },
  callAttempts: {
    value: 3,
    meaning:
      'Attempts that a call of an idempotent command may take when its transport or its plugin fails for a time.',
  },
  retryDelayMs: {
    value: 200,
    meaning: 'Milliseconds that the wait before a second attempt is at most; the bound doubles with every further one.',
  },
  longestRetryDelayMs: { value: 10_000, meaning: 'Milliseconds that no wait between two attempts exceeds.' },
  idempotencyMs: {
    value: 24 * 60 * 60 * 1_000,
    meaning: 'Milliseconds for which a result is answered again to its `Idempotency-Key`.',
  },
  idempotencyLeaseMs: {
    value: 15_000,
    meaning:
      'Milliseconds after the last sign of life of a server until the calls that it ran under a key count as lost.',
  },
  approvalMs: {
    value: 60 * 60 * 1_000,
    meaning:
      'Milliseconds in which a call that needs approval must be decided, and for which an approval that was given is good.',
  },
  approvalWaitMs: {
    value: 50_000,
    meaning:
      'Milliseconds that the answer to a call waits for its approval before it is `accepted` and goes on as a task; 0 waits for none.',
  },
  approvalLeaseMs: {
    value: 15_000,
    meaning:
      'Milliseconds after the last sign of life of a server until the approvals that it held count as abandoned.',
  },
  approvalLookMs: {
    value: 2_000,
    meaning: 'Milliseconds between two looks for approvals that have expired or were decided elsewhere.',
  },
  pendingApprovals: { value: 1_000, meaning: 'Approvals of one key that may wait for a decision at once.' },
  approvalRulesBytes: { value: 1024 * 1024, meaning: 'Bytes of the file of approval rules.' },
  retainApprovalsMs: {
    value: 30 * 24 * 60 * 60 * 1_000,
    meaning: 'Milliseconds that approvals are kept after they were asked for; 0 keeps them for ever.',
  },
  taskMs: {
    value: 24 * 60 * 60 * 1_000,
    meaning: 'Milliseconds that an asynchronous task may take until it is ended as timed out.',
  },
  taskSweepMs: { value: 10_000, meaning: 'Milliseconds between two looks for tasks whose time is over.' },
  taskProgressMs: {
    value: 500,
    meaning: 'Milliseconds between two reports of the progress of one task; of those in between the newest is kept.',
  },
  taskLookMs: {
    value: 1_000,
    meaning: 'Milliseconds between two looks at a task that somebody follows, for what other processes did to it.',
  },
  callbackBodyBytes: { value: 16 * 1024 * 1024, meaning: 'Bytes that the body of a callback may have.' },
  callbackSkewMs: {
    value: 5 * 60 * 1_000,
    meaning: 'Milliseconds by which the time that a callback says may differ from that of the server.',
  },
  inboxContentBytes: {
    value: 64 * 1024,
    meaning: 'Bytes of a payload that a receiver keeps in its database; a larger one lies with the resources.',
  },
  inboxMs: {
    value: 24 * 60 * 60 * 1_000,
    meaning: 'Milliseconds that a receiver keeps a callback which the server has acknowledged.',
  },
  inboxLookMs: { value: 5_000, meaning: 'Milliseconds between two looks into the inbox of the receiver.' },
  inboxLongestWaitMs: {
    value: 5 * 60 * 1_000,
    meaning:
      'Milliseconds between two looks at most, while the receiver does not answer or a callback cannot be taken.',
  },
  inboxPageItems: { value: 50, meaning: 'Callbacks that are asked of the inbox at once, 100 at most.' },
  inboxRequestMs: {
    value: 30_000,
    meaning: 'Milliseconds that the receiver may take for an answer, or be silent in the middle of bytes.',
  },
  inboxBlobMs: {
    value: 10 * 60 * 1_000,
    meaning: 'Milliseconds that the bytes of one resource may take to come from it.',
  },
  inboxHoldMs: {
    value: 10 * 60 * 1_000,
    meaning:
      'Milliseconds for which the server ends no task as timed out while it cannot look into the inbox, or something is left in it.',
  },
  killGraceMs: { value: 750, meaning: 'Milliseconds between asking a process group to stop and killing it.' },
  drainMs: {
    value: 1_000,
    meaning: 'Milliseconds that output may still come after the process has gone and its group was killed.',
  },
  resourcesPerResult: { value: 64, meaning: 'Resources of one result, and of the arguments of one call.' },
  resourceBytes: { value: 64 * 1024 * 1024, meaning: 'Bytes of one resource.' },
  resourceBytesPerResult: {
    value: 256 * 1024 * 1024,
    meaning: 'Bytes of all resources of one result, and of those that the arguments of one call name.',
  },
  linkMs: {
    value: 24 * 60 * 60 * 1_000,
    meaning: 'Milliseconds that a signed address of a resource may open it at most.',
  },
  retainResultsMs: {
    value: 0,
    meaning: 'Milliseconds that results are kept with their resources; 0 keeps them for ever.',
  },
  retainRecordsMs: { value: 0, meaning: 'Milliseconds that audit records are kept; 0 keeps them for ever.' },
  retainUploadsMs: {
    value: 30 * 24 * 60 * 60 * 1_000,
    meaning: 'Milliseconds that uploaded files, and those of data URIs in arguments, are kept; 0 keeps them for ever.',
  },
  blobGraceMs: {
    value: 25 * 60 * 60 * 1_000,
    meaning:
      'Milliseconds for which bytes that no resource has are left alone: longer than any call lasts, since its resources are noted at its end.',
  },
  collectEveryMs: {
    value: 60 * 60 * 1_000,
    meaning: 'Milliseconds between two removals of what has had its time; 0 leaves it to `vcp resources gc`.',
  },
  downloadStallMs: {
    value: 120_000,
    meaning: 'Milliseconds in which a client takes nothing of a download until it is cut off.',
  },
  directoryEntries: {
    value: 10_000,
    meaning: 'Files and folders that a directory may have to be published as one resource.',
  },
  mirrorMs: {
    value: 30_000,
    meaning: 'Milliseconds that fetching the external resources of one result may take, where a command mirrors them.',
  },
  chatRounds: {
    value: 12,
    meaning: 'Answers of a model in one conversation whose calls are run and fed back; after that it is ended.',
  },
  chatCallsPerAnswer: { value: 32, meaning: 'Blocks of one answer of a model that are run.' },
  chatResultCharacters: { value: 30_000, meaning: 'Characters of one result that a model is told.' },
  chatAddedCharacters: {
    value: 32 * 1024 * 1024,
    meaning:
      'Characters that answers with calls and the results of those may add to one conversation, files as Base64 included; after that it is ended.',
  },
  chatMediaBytes: {
    value: 16 * 1024 * 1024,
    meaning: 'Bytes of the files of results that one conversation sends to its model within requests, not by address.',
  },
  chatRiverBytes: {
    value: 256 * 1024,
    meaning: 'Bytes of JSON of a conversation that a tool is handed where a call asks for it (`river`).',
  },
  instructionBlockBytes: {
    value: 4 * 1024 * 1024,
    meaning: "Bytes of one TOOL_REQUEST block in a model's reply; a larger one is not run.",
  },
  instructionSteps: {
    value: 64,
    meaning: 'Calls of one numbered series (command1, command2 …) in a TOOL_REQUEST block.',
  },
  manifestBytes: { value: 1024 * 1024, meaning: 'Bytes of JSON that one manifest may have.' },
  reloadQuietMs: {
    value: 200,
    meaning: 'Milliseconds without a further change after which changed plugins and configuration are read again.',
  },
  reloadAtMostMs: { value: 5_000, meaning: 'Milliseconds after which they are read while changes go on.' },
  reloadPollMs: { value: 2_000, meaning: 'Milliseconds between two looks with VCP_WATCH=poll.' },
  pluginFiles: { value: 10_000, meaning: 'Files of one plugin that are looked at for changes.' },
  comparedFileBytes: {
    value: 1024 * 1024,
    meaning: "Bytes up to which a plugin's file is compared by its content, and beyond by its size and time.",
  },
  moduleLoadMs: {
    value: 10_000,
    meaning: 'Milliseconds that a changed in-process module may take to load before it is refused.',
  },
  variableMs: {
    value: 5_000,
    meaning: 'Milliseconds in which a variable of a chat request must have its value.',
  },
  variablesPerRequest: { value: 256, meaning: 'Different variables that one chat request may use.' },
  variableTokens: {
    value: 100_000,
    meaning:
      'Variables that are filled in for one chat request, each as often as it occurs; further ones stay as text.',
  },
  variableDepth: { value: 16, meaning: 'Levels over which definitions of variables may name other variables.' },
  variableCharacters: { value: 1024 * 1024, meaning: 'Characters of the value of one variable.' },
  expandedCharacters: {
    value: 4 * 1024 * 1024,
    meaning: 'Characters that variables may add to the messages of one chat request.',
  },
  promptFileBytes: { value: 1024 * 1024, meaning: 'Bytes of one file in the directory of prompts.' },
  toolListCharacters: {
    value: 32_000,
    meaning: 'Characters of the descriptions of tools that `{{VCPAllTools}}` stands for.',
  },
  placeholderCharacters: {
    value: 16 * 1024,
    meaning: 'Characters of what a static plugin says for one placeholder; the rest is cut off.',
  },
  placeholderBytes: {
    value: 1024 * 1024,
    meaning: 'Bytes of what all static plugins said last, which outlasts a restart.',
  },
  preprocessorMs: {
    value: 10_000,
    meaning: 'Milliseconds that a message preprocessor may take when its manifest does not say.',
  },
  preprocessedCharacters: {
    value: 32 * 1024 * 1024,
    meaning: 'Characters of JSON of the messages that a message preprocessor may answer with.',
  },
  reportedIssues: { value: 16, meaning: 'Problems that are listed before the rest is only counted.' },
  keysFileBytes: { value: 1024 * 1024, meaning: 'Bytes of the file of API keys.' },
  freeWrongKeys: { value: 10, meaning: 'Wrong keys that an address may send before each further one costs it a wait.' },
  wrongKeyDelayMs: { value: 300_000, meaning: 'Milliseconds that an address waits at most after a wrong key.' },
  trackedAddresses: { value: 10_000, meaning: 'Addresses whose wrong keys are remembered at once.' },
  trackedRates: { value: 100_000, meaning: 'Rate limits whose use is remembered at once.' },
  streamKeepAliveMs: {
    value: 15_000,
    meaning: 'Milliseconds of silence after which an event stream shows that it lives.',
  },
  keptEvents: { value: 10_000, meaning: 'Events that are kept for clients that come back or are behind.' },
  keptEventBytes: { value: 16 * 1024 * 1024, meaning: 'Bytes of JSON of the events that are kept.' },
  keptEventMs: { value: 10 * 60 * 1_000, meaning: 'Milliseconds for which an event is kept.' },
  eventBytes: { value: 64 * 1024, meaning: 'Bytes of JSON of the message that one event may carry.' },
  pluginPushesPerSecond: {
    value: 100,
    meaning: 'Messages a second that one service may push; further ones are dropped.',
  },
  loggedEventsPerSecond: {
    value: 100,
    meaning: 'Lines of the log a second that operators are pushed; further ones are counted.',
  },
  pushClients: { value: 10_000, meaning: 'Connections to `/v1/ws` and `/v1/events` at once.' },
  pushClientsPerKey: { value: 4_000, meaning: 'Such connections of one key.' },
  pushQueueEvents: {
    value: 256,
    meaning:
      'Events that one connection may have on their way; when it takes none, the rest waits among the kept events, and a connection that falls behind these is closed.',
  },
  pushQueueBytes: { value: 1024 * 1024, meaning: 'Bytes of them.' },
  pushHeartbeatMs: {
    value: 30_000,
    meaning: 'Milliseconds between two signs of life on such a connection; one that answers none is closed.',
  },
  pushRecheckMs: {
    value: 2_000,
    meaning: 'Milliseconds between two looks whether the key of a connection is still valid.',
  },
  pushMessageBytes: { value: 16 * 1024, meaning: 'Bytes of one message of a client on `/v1/ws`.' },
  pushMessagesPerMinute: { value: 120, meaning: 'Messages a minute that a client may send on `/v1/ws`.' },
  pushFaults: { value: 10, meaning: 'Bad messages of a client on `/v1/ws` after which it is closed.' },
  ticketMs: { value: 60_000, meaning: 'Milliseconds within which a ticket opens a connection.' },
  tickets: { value: 10_000, meaning: 'Tickets that nobody has used yet.' },
  serviceStartMs: { value: 10_000, meaning: 'Milliseconds that a service plugin may take to start.' },
  serviceStopMs: { value: 5_000, meaning: 'Milliseconds that a service plugin may take to stop.' },
  auditDataCharacters: { value: 8 * 1024, meaning: 'Characters of redacted data that an audit record keeps.' },
  schedulesPerOwner: { value: 100, meaning: 'Active schedules that one key may have.' },
  scheduleArgumentsBytes: { value: 64 * 1024, meaning: 'Bytes of JSON that the arguments of a schedule may have.' },
  shortestScheduleMs: {
    value: 10_000,
    meaning: 'Milliseconds that must lie between two due times of a schedule, in its first hundred.',
  },
  scheduledRuns: { value: 8, meaning: 'Scheduled calls that one server runs at once; others that are due wait.' },
  scheduleLateMs: {
    value: 60_000,
    meaning: 'Milliseconds after its due time until a scheduled call counts as missed.',
  },
  scheduleLookMs: {
    value: 5_000,
    meaning:
      'Milliseconds between two looks at what is due at most, since other servers make schedules too and clocks are set.',
  },
  scheduleLeaseMs: {
    value: 15_000,
    meaning: 'Milliseconds after the last sign of life of a server until a scheduled call that it ran counts as lost.',
  },
  scheduleAttempts: {
    value: 3,
    meaning: 'How often a scheduled call of an idempotent command is begun at most, when servers die while it runs.',
  },
  scheduleRunsKept: { value: 1_000, meaning: 'Runs of one schedule that are kept; older ones go.' },
  retainSchedulesMs: {
    value: 30 * 24 * 60 * 60 * 1_000,
    meaning: 'Milliseconds that schedules are kept with their runs when they have ended; 0 keeps them for ever.',
  },
  readinessCheckMs: {
    value: 2_000,
    meaning: 'Milliseconds that one check of `/readyz` may take before it has failed.',
  },
  readinessCacheMs: { value: 1_000, meaning: 'Milliseconds for which an answer of `/readyz` stands.' },
  freeDiskBytes: {
    value: 64 * 1024 * 1024,
    meaning: 'Bytes that must be free where the data directory is for the server to be ready.',
  },
  upstreamRequestMs: {
    value: 10 * 60 * 1_000,
    meaning: 'Milliseconds that one request to the upstream may take, with all its attempts and the whole stream.',
  },
  upstreamIdleMs: {
    value: 120_000,
    meaning: "Milliseconds without an event or comment after which the upstream's stream counts as dead.",
  },
  upstreamAttempts: {
    value: 3,
    meaning: 'Attempts that a request to the upstream may take when it fails for a time.',
  },
  upstreamRetryDelayMs: {
    value: 500,
    meaning:
      'Milliseconds that the wait before a second attempt at the upstream is at most; the bound doubles with every further one.',
  },
  upstreamLongestRetryDelayMs: {
    value: 30_000,
    meaning:
      'Milliseconds that no wait between two attempts at the upstream exceeds; where it asks for more, its error is the answer.',
  },
  upstreamAnswerBytes: { value: 32 * 1024 * 1024, meaning: 'Bytes of an answer of the upstream that is not streamed.' },
  upstreamEventBytes: { value: 16 * 1024 * 1024, meaning: "Characters of one event of the upstream's stream." },
  upstreamStreamBytes: { value: 64 * 1024 * 1024, meaning: "Bytes of the upstream's whole stream." },
  imageLinkMs: {
    value: 60 * 60 * 1_000,
    meaning: 'Milliseconds for which the address of an image that an image model has made opens it without a key.',
  },
  upstreamAnswerTokens: {
    value: 8_192,
    meaning:
      'Tokens that an answer may have where the request does not say and the upstream wants to know (Anthropic).',
  },
} as const satisfies Record<string, { readonly value: number; readonly meaning: string }>;

export type Limits = { readonly [Name in keyof typeof LIMITS]: number };

/** What holds where the operator's configuration says nothing. A manifest may tighten some, never widen them. */
export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, { value }]) => [name, value]),
) as Limits;

/** Limits that may be 0: there, what they bound is switched off, or as their meaning says. */
export const MAY_BE_NOTHING: ReadonlySet<keyof Limits> = new Set([
  'standbyProcesses',
  'wasmLogBytes',
  'wasmHttpRequests',
  'wasmWorkers',
  'retainResultsMs',
  'retainRecordsMs',
  'retainUploadsMs',
  'retainSchedulesMs',
  'collectEveryMs',
  'approvalWaitMs',
  'retainApprovalsMs',
]);
