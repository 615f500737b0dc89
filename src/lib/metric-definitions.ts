/**
 * Every figure that the server gives of itself (§18.1): `docs/operations.md` prints them. Names and units are those of
 * Prometheus: seconds, bytes, `_total` for what only grows. The values of every label come from a set that no caller and
 * no plugin can make grow: names of registered tools, patterns of routes, declared codes.
 */
export const METRICS = {
  calls: {
    type: 'counter',
    name: 'vcp_tool_calls_total',
    help: 'Calls that have ended, by tool and status of the result.',
    labels: ['tool', 'status'],
  },
  callSeconds: {
    type: 'histogram',
    name: 'vcp_tool_call_duration_seconds',
    help: 'Time of a call from its arrival in the runtime to its stored result.',
    labels: ['tool'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  },
  stageSeconds: {
    type: 'histogram',
    name: 'vcp_tool_stage_duration_seconds',
    help: 'Time of a call within one stage: approval (waiting for a person), queue (waiting for a place), transport (the plugin at work), resources (publishing what it left), store (writing result and record).',
    labels: ['tool', 'stage'],
    buckets: [
      0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
    ],
  },
  callErrors: {
    type: 'counter',
    name: 'vcp_tool_errors_total',
    help: 'Results with an error, by its category (protocol and validation among them) and code; a code that the manifest does not declare counts as "(undeclared)".',
    labels: ['tool', 'category', 'code'],
  },
  inputBytes: {
    type: 'counter',
    name: 'vcp_tool_input_bytes_total',
    help: 'Size of the arguments of calls as JSON, calls of unknown tools left out; texts above 64 KiB are estimated.',
    labels: ['tool'],
  },
  outputBytes: {
    type: 'counter',
    name: 'vcp_tool_output_bytes_total',
    help: 'Size of the canonical results of calls as JSON, resources not included; texts above 64 KiB are estimated.',
    labels: ['tool'],
  },
  resourceBytes: {
    type: 'counter',
    name: 'vcp_tool_resource_bytes_total',
    help: 'Size of the resources of results.',
    labels: ['tool'],
  },
  base64Resources: {
    type: 'counter',
    name: 'vcp_tool_base64_resources_total',
    help: 'Resources that came as Base64 or data URI and were taken out of the payload.',
    labels: ['tool'],
  },
  notStored: {
    type: 'counter',
    name: 'vcp_tool_results_not_stored_total',
    help: 'Results that could not be stored and cannot be read again.',
    labels: ['tool'],
  },
  callsRunning: {
    type: 'gauge',
    name: 'vcp_tool_calls_running',
    help: 'Calls that have a place in their tool, stragglers included that outlive their call.',
    labels: ['tool'],
  },
  callsWaiting: {
    type: 'gauge',
    name: 'vcp_tool_calls_waiting',
    help: 'Calls that wait for a place in their tool.',
    labels: ['tool'],
  },
  tasksOpen: {
    type: 'gauge',
    name: 'vcp_tasks_open',
    help: 'Asynchronous tasks that have not ended, by state, as the last sweep counted them.',
    labels: ['state'],
  },
  tasksEnded: {
    type: 'counter',
    name: 'vcp_tasks_ended_total',
    help: 'Asynchronous tasks that this server has ended, by the state that they ended in.',
    labels: ['tool', 'state'],
  },
  presentationSeconds: {
    type: 'histogram',
    name: 'vcp_presentation_duration_seconds',
    help: 'Time to project a result for its reader, policy included.',
    labels: ['view'],
    buckets: [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
  },
  aiCharacters: {
    type: 'histogram',
    name: 'vcp_ai_projection_characters',
    help: 'Characters of the text that a model is given.',
    labels: [],
    buckets: [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000],
  },
  truncations: {
    type: 'counter',
    name: 'vcp_presentation_truncations_total',
    help: 'Projections that had to leave something of the result out for its size.',
    labels: ['view'],
  },
  processes: {
    type: 'gauge',
    name: 'vcp_plugin_processes',
    help: 'Processes of plugins, those included that wait for work; mode `wasm`, without a tool, has the threads of the sandbox.',
    labels: ['tool', 'mode'],
  },
  idleProcesses: {
    type: 'gauge',
    name: 'vcp_plugin_processes_idle',
    help: 'Processes of plugins that wait for work.',
    labels: ['tool', 'mode'],
  },
  recycledProcesses: {
    type: 'counter',
    name: 'vcp_plugin_processes_recycled_total',
    help: 'Processes of plugins that were replaced: they failed, were too old, or had done their number of calls.',
    labels: ['tool', 'mode'],
  },
  pushClients: {
    type: 'gauge',
    name: 'vcp_push_clients',
    help: 'Connections that events are pushed to: `ws` or `sse`.',
    labels: ['transport'],
  },
  events: {
    type: 'counter',
    name: 'vcp_events_total',
    help: 'Events that were emitted, by type.',
    labels: ['type'],
  },
  eventsDelivered: {
    type: 'counter',
    name: 'vcp_events_delivered_total',
    help: 'Events that were handed to connections, each counted once a connection.',
    labels: ['transport'],
  },
  pushDropped: {
    type: 'counter',
    name: 'vcp_push_clients_dropped_total',
    help: 'Connections that the server closed: slow (too far behind), silent (no sign of life), refused (bad messages), revoked (the key is not valid any more).',
    labels: ['transport', 'reason'],
  },
  plugins: {
    type: 'gauge',
    name: 'vcp_plugins',
    help: 'Plugins by state: served or refused.',
    labels: ['state'],
  },
  scheduledRuns: {
    type: 'counter',
    name: 'vcp_schedule_runs_total',
    help: 'Due times of schedules by what became of them: the status of the result, or missed, skipped, interrupted.',
    labels: ['outcome'],
  },
  requests: {
    type: 'counter',
    name: 'vcp_http_requests_total',
    help: 'HTTP requests, by the pattern of their route and the status of the answer.',
    labels: ['method', 'route', 'status'],
  },
  requestSeconds: {
    type: 'histogram',
    name: 'vcp_http_request_duration_seconds',
    help: 'Time from the head of a request to the head of its answer.',
    labels: ['method', 'route'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  },
  chats: {
    type: 'counter',
    name: 'vcp_chats_total',
    help: 'Conversations of `POST /v1/chat/completions` that have ended: finished, stopped (by a limit), interrupted, left (by the client), shut-down, upstream-failed, fault.',
    labels: ['outcome'],
  },
  chatRounds: {
    type: 'histogram',
    name: 'vcp_chat_rounds',
    help: 'Answers of the model that a conversation took.',
    labels: [],
    buckets: [1, 2, 3, 4, 6, 8, 12, 16, 24],
  },
  chatSeconds: {
    type: 'histogram',
    name: 'vcp_chat_duration_seconds',
    help: 'Time of a conversation from its prepared request to its end.',
    labels: [],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800],
  },
  chatTokens: {
    type: 'counter',
    name: 'vcp_chat_tokens_total',
    help: 'Tokens of conversations as their upstream counts them, by kind: prompt or completion.',
    labels: ['kind'],
  },
  build: {
    type: 'gauge',
    name: 'vcp_build_info',
    help: 'Always 1: the versions of the server, its protocol and its runtime.',
    labels: ['version', 'protocol', 'runtime'],
  },
} as const satisfies Record<string, MetricDefinition>;

/** A figure as it is declared. `buckets` are upper bounds, in the unit of the figure. */
export type MetricDefinition = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
} & ({ readonly type: 'counter' | 'gauge' } | { readonly type: 'histogram'; readonly buckets: readonly number[] });

/** Stands for every tool that nobody has registered. */
export const UNKNOWN_TOOL = '(unknown)';
