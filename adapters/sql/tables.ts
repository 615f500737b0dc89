/** The rows of every SQL store. Names are snake_case as SQL has it; JSON columns hold JSON text. */
export type ResultRow = {
  id: string;
  owner: string;
  tool_name: string;
  status: string;
  created_at: string;
  body: string;
};

export type RecordRow = {
  id: string;
  owner: string;
  result_id: string;
  invocation_id: string;
  request_id: string;
  tool_name: string;
  command: string | null;
  status: string;
  error_code: string | null;
  source: string;
  actor: string | null;
  started_at: string;
  duration_ms: number;
  audit: string;
};

export type ResourceRow = {
  id: string;
  owner: string;
  result_id: string | null;
  sha256: string | null;
  created_at: string;
  descriptor: string;
};

/** Times are RFC 3339 in UTC with milliseconds, so that they compare as text. `result_id` is null while the call runs. */
export type IdempotencyKeyRow = {
  owner: string;
  idempotency_key: string;
  fingerprint: string;
  invocation_id: string;
  claimed_by: string;
  claimed_at: string;
  lease_until: string;
  expires_at: string;
  is_repeatable: 0 | 1;
  result_id: string | null;
};

/** `value` is JSON text; `bytes` is what the row counts against the plugin's limit. */
export type PluginValueRow = { plugin: string; key: string; value: string; bytes: number };

/**
 * `required_by`, `actor` and `held_call` are JSON text; the call is whatever it takes to make it later. Times are as in
 * idempotency keys.
 */
export type ApprovalRow = {
  id: string;
  owner: string;
  state: string;
  required_by: string;
  tool_name: string;
  display_name: string;
  plugin_version: string;
  plugin_digest: string;
  command: string;
  actor: string | null;
  source: string;
  hash: string;
  invocation_id: string;
  request_id: string;
  created_at: string;
  expires_at: string;
  decided_at: string | null;
  decided_by: string | null;
  reason: string | null;
  task_id: string | null;
  held_by: string | null;
  lease_until: string | null;
  ran_at: string | null;
  result_id: string | null;
  held_call: string;
};

/**
 * `command`, `actor` and `extensions` are JSON text. `result_id` is null exactly while the task has not ended. Times are as
 * in idempotency keys.
 */
export type TaskRow = {
  id: string;
  owner: string;
  kind: string;
  tool_name: string;
  display_name: string | null;
  plugin_version: string | null;
  command: string | null;
  state: string;
  progress: number | null;
  stage: string | null;
  message: string | null;
  invocation_id: string;
  request_id: string;
  source: string;
  actor: string | null;
  request_ip: string | null;
  node_id: string | null;
  extensions: string;
  accepted_result_id: string | null;
  result_id: string | null;
  approval_id: string | null;
  server_id: string;
  created_at: string;
  updated_at: string;
  expires_at: string;
};

/** A callback that was taken, by its task and the id that its sender gave it; `answer` is JSON text. */
export type TaskCallbackRow = {
  task_id: string;
  webhook_id: string;
  digest: string;
  ends_task: 0 | 1;
  answer: string;
  taken_at: string;
};

/** `definition` is JSON text: what never changes. `next_at` is there exactly while the schedule is active. */
export type ScheduleRow = {
  id: string;
  owner: string;
  tool_name: string;
  definition: string;
  state: string;
  next_at: string | null;
  run_count: number;
  created_at: string;
  updated_at: string;
};

/** `lease_until` is there exactly while the run goes on. */
export type ScheduleRunRow = {
  id: string;
  schedule_id: string;
  due_at: string;
  times: number;
  state: string;
  attempt: number;
  is_repeatable: 0 | 1;
  lease_until: string | null;
  server_id: string | null;
  result_id: string | null;
  status: string | null;
  error_code: string | null;
  reason: string | null;
  started_at: string | null;
  finished_at: string | null;
};

/** `content` and `resources` are JSON text; times are as in idempotency keys. */
export type InboxItemRow = {
  id: string;
  received_at: string;
  task_id: string;
  tool_name: string;
  webhook_id: string;
  digest: string;
  kind: string;
  state: string;
  content: string | null;
  content_sha256: string | null;
  content_bytes: number | null;
  resources: string;
  acknowledged_at: string | null;
};

/** A callback that a receiver has taken, as item `item_id`; `answer` is JSON text. */
export type InboxCallbackRow = {
  task_id: string;
  webhook_id: string;
  item_id: string;
  digest: string;
  ends_task: 0 | 1;
  answer: string;
  kept_until: string;
};

/** A blob that an item refers to. */
export type InboxBlobRow = { item_id: string; sha256: string };

export type Tables = {
  results: ResultRow;
  records: RecordRow;
  resources: ResourceRow;
  idempotency_keys: IdempotencyKeyRow;
  plugin_values: PluginValueRow;
  approvals: ApprovalRow;
  tasks: TaskRow;
  task_callbacks: TaskCallbackRow;
  schedules: ScheduleRow;
  schedule_runs: ScheduleRunRow;
  inbox_items: InboxItemRow;
  inbox_callbacks: InboxCallbackRow;
  inbox_blobs: InboxBlobRow;
};
