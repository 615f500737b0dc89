import { canonicalResult, descriptor, ERROR, manifest, TASK, TOOL_ERROR, ULID } from './sample-values.ts';

export type SchemaSamples = { readonly good: readonly unknown[]; readonly bad: readonly unknown[] };

const invocationId = `ti_${ULID}`;
const requestId = `req_${ULID}`;
const taskId = `task_${ULID}`;
const callbackProtocol = { name: 'vcp.tool-result-callback', version: '1.0' };
const context = {
  invocationId,
  requestId,
  toolName: 'Sample',
  source: 'human',
  actor: null,
  requestIp: null,
  deadline: '2026-07-11T07:30:00.000Z',
  resourceDir: null,
};
const call = { command: 'Run', arguments: {}, context };
const envelope = { type: 'vcp_tool_result', protocolVersion: '1.0', requestId, result: canonicalResult() };
const wholeTask = { progress: null, pollAfterMs: null, placeholder: null, ...TASK };
const taskDescription = {
  id: taskId,
  kind: 'plugin',
  owner: 'alice',
  tool: 'Sample',
  command: 'Run',
  state: 'running',
  progress: 0.5,
  stage: null,
  message: null,
  placeholder: `{{VCP_ASYNC_RESULT::Sample::${taskId}}}`,
  invocationId,
  requestId,
  acceptedResultId: `tr_${ULID}`,
  resultId: null,
  approvalId: null,
  createdAt: '2026-07-11T07:30:00.000Z',
  updatedAt: '2026-07-11T07:30:01.000Z',
  expiresAt: '2026-07-12T07:30:00.000Z',
};
const inboxItem = {
  id: `inb_${ULID}`,
  receivedAt: '2026-11-30T12:00:00.000Z',
  taskId,
  toolName: 'Sample',
  webhookId: 'msg_1',
  digest: 'ab'.repeat(32),
  kind: 'result',
  state: 'completed',
  content: { status: 'success', data: 1 },
  contentBlob: null,
  resources: [
    {
      id: `res_${ULID}`,
      sha256: 'cd'.repeat(32),
      sizeBytes: 3,
      kind: 'image',
      mimeType: 'image/png',
      fileName: 'a.png',
    },
  ],
};
const without = (value: Record<string, unknown>, field: string): Record<string, unknown> => {
  const { [field]: _, ...rest } = value;
  return rest;
};

const apiKey = {
  id: 'key_ci-2',
  name: 'ci',
  sha256: 'ab'.repeat(32),
  roles: ['human', 'ai'],
  createdAt: '2026-11-30T12:00:00.000Z',
};
const schedule = {
  id: `sch_${ULID}`,
  owner: 'key_default',
  label: 'Daily report',
  tool: 'Sample',
  arguments: { n: 1 },
  actor: null,
  at: null,
  cron: '30 9 * * MON-FRI',
  timeZone: 'Europe/Berlin',
  startAt: null,
  endAt: '2027-11-30T12:00:00.000Z',
  maxRuns: 10,
  timeoutMs: null,
  missed: 'skip',
  overlap: 'skip',
  state: 'active',
  nextRunAt: '2026-12-01T08:30:00.000Z',
  runCount: 0,
  createdAt: '2026-11-30T12:00:00.000Z',
  updatedAt: '2026-11-30T12:00:00.000Z',
};
const scheduleRun = {
  id: `run_${ULID}`,
  scheduleId: `sch_${ULID}`,
  dueAt: '2026-12-01T08:30:00.000Z',
  times: 1,
  state: 'finished',
  attempt: 1,
  resultId: `tr_${ULID}`,
  status: 'success',
  errorCode: null,
  reason: null,
  serverId: 'local',
  startedAt: '2026-12-01T08:30:00.004Z',
  finishedAt: '2026-12-01T08:30:01.000Z',
};
const rate = { requests: 60, windowSeconds: 60 };
const pluginStatus = {
  name: 'Sample',
  version: '1.0.0',
  location: '/plugins/Sample/plugin-manifest.json',
  state: 'stale',
  enabled: true,
  switchedBy: 'manifest',
  reason: 'r',
  issues: [{ pointer: '/name', message: 'm' }],
  loadedAt: '2026-07-11T07:30:00.000Z',
  digest: 'a'.repeat(64),
};
const refusedPlugin = { ...pluginStatus, name: null, version: null, state: 'refused', enabled: null, switchedBy: null };
const pluginChange = {
  change: 'loaded',
  name: 'S',
  version: '1.0.0',
  previousVersion: null,
  location: 'l',
  reason: null,
};
const reloadedConfiguration = { applied: ['VCP_LOG_LEVEL'], needsRestart: [], errors: [{ name: 'N', message: 'm' }] };

const eventIds = {
  invocationId,
  requestId,
  resultId: null,
  recordId: null,
  taskId: null,
  approvalId: null,
  scheduleId: null,
  toolName: 'Sample',
};
const eventEnvelope = { id: `evt_${ULID}`, time: '2026-11-30T12:00:00.000Z', ...eventIds };
const infoEvent = { type: 'vcp_info', ...eventEnvelope, stage: 'half', progress: 0.5, message: null };
const eventOf = (type: string, data: object) => ({ type, ...eventEnvelope, data });
const logEvent = { level: 'info', source: 'server', message: 'm', details: { port: 1 } };
const approvalEvent = { state: 'pending', command: 'Run', expiresAt: null, decidedBy: null, reason: null };
const resultEvent = { status: 'error', errorCode: 'TOOL_TIMEOUT', command: null };

const port = {
  name: 'a',
  pointer: '/a',
  within: [],
  type: 'string',
  format: null,
  required: true,
  title: null,
  resourceKind: null,
  more: false,
};
const tool = {
  name: 'Sample',
  displayName: 'Sample tool',
  version: '1.0.0',
  description: 'd',
  pluginType: 'synchronous',
  protocol: 'direct',
  enabled: true,
  commandField: 'command',
  timeoutMs: 60_000,
  permissions: null,
  commands: [
    {
      commandIdentifier: 'Run',
      description: 'd',
      inputSchema: true,
      outputSchema: { type: 'object' },
      idempotent: false,
      approval: false,
      async: false,
      errorCodes: [],
      examples: [{ arguments: {} }],
    },
  ],
};

const approvalSummary = {
  id: `apr_${ULID}`,
  state: 'approved',
  owner: 'key_ann',
  requiredBy: { by: 'rule', reason: 'it deletes' },
  tool: { name: 'Sample', displayName: null, version: '1.0.0', digest: 'd'.repeat(64) },
  command: 'Run',
  actor: null,
  source: 'human',
  createdAt: '2026-11-30T12:00:00Z',
  expiresAt: '2026-11-30T13:00:00Z',
  decidedAt: '2026-11-30T12:01:00Z',
  decidedBy: 'olga',
  reason: null,
  invocationId: `ti_${ULID}`,
  requestId: `req_${ULID}`,
  taskId: null,
  ranAt: null,
  resultId: null,
};
const approval = { ...approvalSummary, arguments: { n: 1 }, resources: [], conversation: null, hash: 'a'.repeat(64) };
const approvalRule = { tools: ['Sample:Run', '*'], effect: 'require' };

/** For every published schema: values that fit and values that do not, by the zod schema and the JSON Schema alike. */
export const SCHEMA_SAMPLES: Readonly<Record<string, SchemaSamples>> = {
  actor: {
    good: [{ type: 'agent' }, { type: 'human', id: 'u', name: 'n', maid: null }],
    bad: [{}, { type: 'bot' }, { type: 'agent', role: 'x' }, null],
  },
  approval: {
    good: [approval, { ...approval, conversation: { messages: [{ role: 'user', content: 'a' }], omitted: 0 } }],
    bad: [
      approvalSummary,
      { ...approval, conversation: [] },
      { ...approval, state: 'open' },
      { ...approval, id: 'apr_1' },
      { ...approval, hash: null },
    ],
  },
  'approval-decision': {
    good: [{ decision: 'approve' }, { decision: 'reject', reason: 'no' }],
    bad: [{}, { decision: 'maybe' }, { decision: 'approve', reason: '' }, { decision: 'approve', arguments: {} }],
  },
  'approval-listing': {
    good: [
      { approvals: [approvalSummary], nextCursor: null },
      { approvals: [], nextCursor: 'after:x' },
    ],
    bad: [{ approvals: [] }, { approvals: [approval], nextCursor: null }],
  },
  'approval-rules': {
    good: [
      { version: 1, rules: [] },
      { version: 1, rules: [approvalRule, { ...approvalRule, roles: ['ai'], keys: ['key_a'], sources: ['mcp'] }] },
      { version: 1, rules: [{ tools: ['日程'], effect: 'allow', overrideManifest: true, reason: 'known' }] },
    ],
    bad: [
      { version: 2, rules: [] },
      { version: 1, rules: [{ ...approvalRule, effect: 'ask' }] },
      { version: 1, rules: [{ ...approvalRule, tools: [] }] },
      { version: 1, rules: [{ ...approvalRule, tools: ['a b'] }] },
      { version: 1, rules: [{ ...approvalRule, roles: ['boss'] }] },
    ],
  },
  'approval-summary': { good: [approvalSummary], bad: [approval, { ...approvalSummary, requiredBy: null }] },
  'ai-advice': {
    good: [
      { intent: 'relay' },
      { intent: 'display_resource', message: null, resourceIds: ['a'], renderHint: 'image', priority: 'high' },
    ],
    bad: [
      {},
      { intent: 'obey' },
      { intent: 'relay', message: 'x'.repeat(4_001) },
      { intent: 'relay', resourceIds: [''] },
      { intent: 'relay', html: '' },
    ],
  },
  'api-keys': {
    good: [
      { version: 1, keys: [] },
      { $schema: 'urn:vcp:schema:1.0:api-keys', version: 1, defaultKey: false, keys: [apiKey] },
      { version: 1, keys: [{ ...apiKey, tools: ['Sample', '天气'], rateLimit: rate, toolRateLimits: { 天气: rate } }] },
      { version: 1, keys: [{ ...apiKey, expiresAt: '2026-12-31T00:00:00+01:00', revokedAt: '2026-12-01T00:00:00Z' }] },
    ],
    bad: [
      {},
      { version: 2, keys: [] },
      { version: 1, keys: [], more: true },
      { version: 1, keys: [{ ...apiKey, key: 'vcp_x' }] },
      { version: 1, keys: [{ ...apiKey, id: 'key_default' }] },
      { version: 1, keys: [{ ...apiKey, id: 'ci' }] },
      { version: 1, keys: [{ ...apiKey, sha256: 'AB'.repeat(32) }] },
      { version: 1, keys: [{ ...apiKey, roles: [] }] },
      { version: 1, keys: [{ ...apiKey, roles: ['root'] }] },
      { version: 1, keys: [{ ...apiKey, tools: ['../x'] }] },
      { version: 1, keys: [{ ...apiKey, rateLimit: { requests: 0, windowSeconds: 60 } }] },
      { version: 1, keys: [{ ...apiKey, rateLimit: { requests: 1 } }] },
      { version: 1, keys: [{ ...apiKey, toolRateLimits: { '../x': rate } }] },
      { version: 1, keys: [{ ...apiKey, expiresAt: 'tomorrow' }] },
      { version: 1, keys: [without(apiKey, 'createdAt')] },
    ],
  },
  'bridge-envelope': {
    good: [envelope],
    bad: [
      { ...envelope, error: 'x' },
      { ...envelope, requestId: 'req_1' },
      { ...envelope, result: { status: 'success' } },
      without(envelope, 'type'),
    ],
  },
  callback: {
    good: [
      { protocol: callbackProtocol, taskId, result: { status: 'success', data: {} } },
      { protocol: callbackProtocol, taskId, progress: { progress: 1 } },
    ],
    bad: [
      { protocol: callbackProtocol, taskId },
      { protocol: callbackProtocol, taskId, result: { status: 'success', data: {} }, progress: {} },
      { protocol: callbackProtocol, taskId: 'task_1', progress: {} },
      { protocol: callbackProtocol, taskId, result: { status: 'timeout', data: null, error: ERROR } },
    ],
  },
  'callback-receipt': {
    good: [
      { taskId, state: 'completed', resultId: `tr_${ULID}` },
      { taskId, state: 'running', resultId: null },
    ],
    bad: [{ taskId, state: 'done', resultId: null }, { taskId, state: 'running' }, {}],
  },
  'cancel-frame': {
    good: [{ vcp: 'cancel', version: '1.0', invocationId }],
    bad: [
      { vcp: 'cancel', version: '1.0' },
      { vcp: 'stop', version: '1.0', invocationId },
    ],
  },
  'canonical-tool-result': {
    good: [
      canonicalResult(),
      canonicalResult({
        resources: [descriptor()],
        warnings: [{ code: 'A', message: 'm', target: null, details: null }],
      }),
      canonicalResult({ status: 'error', data: null, error: TOOL_ERROR }),
      canonicalResult({ status: 'accepted', task: wholeTask }),
      canonicalResult({ status: 'timeout', data: null, error: TOOL_ERROR }),
      canonicalResult({
        actor: null,
        presentation: { summary: 's', preferredView: null, title: null, primaryResourceId: null },
      }),
    ],
    bad: [
      ...[
        'protocol',
        'id',
        'status',
        'tool',
        'execution',
        'actor',
        'origin',
        'resources',
        'warnings',
        'policy',
        'extensions',
        'presentation',
        'aiAdvice',
      ].map((field) => without(canonicalResult(), field)),
      canonicalResult({ status: 'success', error: TOOL_ERROR }),
      canonicalResult({ status: 'accepted', task: null }),
      canonicalResult({ status: 'accepted', task: { ...wholeTask, state: 'completed' } }),
      canonicalResult({ status: 'error', data: null }),
      canonicalResult({ extensions: { plain: 1 } }),
      canonicalResult({ record: {} }),
    ],
  },
  'command-ports': {
    good: [{ inputs: [], outputs: [port] }],
    bad: [{ inputs: [] }, { inputs: [], outputs: [without(port, 'title')] }, { inputs: [], outputs: [], x: 1 }],
  },
  'human-tool-request': {
    good: [{ tool: 'a' }, { tool: 'a', arguments: { b: 1 }, options: { view: 'ai', timeoutMs: 5 } }],
    bad: [{}, { tool: '' }, { tool: 'a', arguments: [] }, { tool: 'a', options: { view: 'x' } }, { tool: 'a', x: 1 }],
  },
  'inbox-acknowledgement': {
    good: [{ ids: [`inb_${ULID}`] }],
    bad: [{}, { ids: [] }, { ids: [`task_${ULID}`] }, { ids: [`inb_${ULID}`], x: 1 }],
  },
  'inbox-item': {
    good: [
      inboxItem,
      { ...inboxItem, content: null, contentBlob: { sha256: 'ef'.repeat(32), sizeBytes: 70_000 }, resources: [] },
    ],
    bad: [
      without(inboxItem, 'content'),
      { ...inboxItem, kind: 'other' },
      { ...inboxItem, digest: 'AB'.repeat(32) },
      { ...inboxItem, resources: [{ id: `res_${ULID}` }] },
    ],
  },
  'inbox-page': {
    good: [
      { items: [inboxItem], nextAfter: inboxItem.id },
      { items: [], nextAfter: null },
    ],
    bad: [{ items: [] }, { items: [{}], nextAfter: null }],
  },
  invocation: {
    good: [{ toolName: 'a', context: { source: 'cli' } }],
    bad: [
      { toolName: 'a' },
      { toolName: 'a', context: { source: 'web' } },
      { toolName: 'a', context: { source: 'cli', signal: {} } },
    ],
  },
  event: {
    good: [
      infoEvent,
      eventOf('vcp_log', logEvent),
      eventOf('task', { state: 'running', progress: 1, resultId: null }),
      eventOf('approval', approvalEvent),
      eventOf('result', resultEvent),
      eventOf('schedule', { state: 'missed', dueAt: '2026-11-30T12:00:00.000Z', status: null }),
      eventOf('ai_message', { model: 'm', sessionId: null, text: '', isLast: true }),
      eventOf('plugin_message', { plugin: 'Sample', name: 'n', message: {} }),
    ],
    bad: [
      { ...infoEvent, id: requestId },
      { ...infoEvent, progress: 1.1 },
      { ...infoEvent, data: {} },
      { ...infoEvent, time: 'now' },
      { type: 'vcp_info', invocationId, taskId, stage: null, progress: null, message: null },
      eventOf('result', { ...resultEvent, status: 'done' }),
      eventOf('vcp_log', { ...logEvent, message: 'm'.repeat(4_001) }),
      eventOf('approval', { ...approvalEvent, state: 'open' }),
      eventOf('plugin_message', { plugin: 'Sample', name: 'n', message: 'text' }),
      eventOf('other', {}),
    ],
  },
  'event-ticket': {
    good: [{ ticket: 'vcpt_x', expiresAt: '2026-11-30T12:00:00Z' }],
    bad: [{ ticket: 'vcpt_x' }, { ticket: 1, expiresAt: '2026-11-30T12:00:00Z' }],
  },
  'push-notice': {
    good: [
      { type: 'subscribed', ref: null, clientType: 'panel', lastEventId: `evt_${ULID}` },
      { type: 'unsubscribed', ref: 'a' },
      { type: 'pong', ref: 'a', time: '2026-11-30T12:00:00.000Z', lastEventId: `evt_${ULID}` },
      { type: 'heartbeat', lastEventId: `evt_${ULID}` },
      { type: 'gap', lastEventId: `evt_${ULID}`, oldestEventId: null },
      { type: 'error', ref: null, code: 'INVALID_REQUEST', message: 'm', errors: [{ pointer: '/a', detail: 'd' }] },
    ],
    bad: [
      { type: 'subscribed', ref: null, clientType: 'pan el', lastEventId: `evt_${ULID}` },
      { type: 'gap', lastEventId: taskId, oldestEventId: null },
      { type: 'heartbeat' },
      infoEvent,
    ],
  },
  'push-request': {
    good: [
      { type: 'ping' },
      { type: 'unsubscribe', ref: 'a' },
      { type: 'subscribe' },
      { type: 'subscribe', types: ['result', 'vcp_info'], tools: ['A'], invocations: [invocationId], tasks: [taskId] },
      { type: 'subscribe', clientType: 'panel', lastEventId: `evt_${ULID}` },
    ],
    bad: [
      { type: 'publish' },
      { type: 'ping', types: ['result'] },
      { type: 'subscribe', types: [] },
      { type: 'subscribe', types: ['results'] },
      { type: 'subscribe', tasks: [invocationId] },
      { type: 'ping', ref: '' },
    ],
  },
  'json-object': { good: [{}, { a: [1, null] }], bad: [[], 'a', null, 1] },
  'json-value': { good: [null, 1, 'a', [], {}, false], bad: [] },
  'migration-ledger': {
    good: [[], [{ plugin: 'A', enabled: true, type: 'synchronous', protocol: 'stdio', commands: [] }]],
    bad: [
      {},
      [{ plugin: 'A', enabled: true, type: 'synchronous', protocol: 'stdio' }],
      [{ plugin: 'A B', enabled: true, type: 'synchronous', protocol: 'stdio', commands: [] }],
      [{ plugin: 'A', enabled: true, type: 'x', protocol: 'stdio', commands: [] }],
    ],
  },
  'plugin-error': {
    good: [ERROR, { ...ERROR, category: 'domain', details: [1], cause: { message: 'm' } }, { ...ERROR, code: 'A.B' }],
    bad: [
      { ...ERROR, code: 'MINE' },
      { ...ERROR, message: '' },
      { code: 'FORBIDDEN' },
      { ...ERROR, stack: 's' },
      { ...ERROR, category: 'x' },
    ],
  },
  'plugin-invocation': {
    good: [call],
    bad: [{ ...call, command: 'a b' }, without(call, 'arguments'), { ...call, context: without(context, 'deadline') }],
  },
  'plugin-manifest': {
    good: [
      manifest(),
      manifest({
        entryPoint: { type: 'command', command: 'node' },
        communication: { protocol: 'stdio', timeoutMs: 5 },
      }),
      manifest({}, { inputSchema: { type: 'object' }, resourceOutputs: [{ field: '/a~1b', kind: 'image' }] }),
      manifest({ webSocketPush: { enabled: true } }),
      manifest({ webSocketPush: { enabled: false, messageType: 'm', usePluginResultAsMessage: false } }),
      manifest({ webSocketPush: { enabled: true, targetClientType: 'panel' } }),
    ],
    bad: [
      manifest({ webSocketPush: {} }),
      manifest({ webSocketPush: { enabled: true, clientType: 'panel' } }),
      manifest({ webSocketPush: { enabled: true, targetClientType: 'a b' } }),
      manifest({ name: 'a b' }),
      manifest({ version: '1' }),
      manifest({ entryPoint: { type: 'x' } }),
      manifest({ x: 1 }),
      manifest({}, { errorCodes: ['MINE'] }),
      manifest({}, { outputSchema: 'x' }),
      without(manifest(), 'capabilities'),
    ],
  },
  'plugin-result-payload': {
    good: [
      { status: 'success', data: null },
      { status: 'error', data: null, error: ERROR },
      { status: 'accepted', data: 1, task: TASK },
      { status: 'partial', data: [], error: ERROR },
      { status: 'cancelled', error: ERROR },
      { status: 'success', data: {}, resources: [{ id: 'a', base64: '' }], extensions: { 'a.b': 1 } },
    ],
    bad: [
      { status: 'timeout', data: null, error: ERROR },
      { status: 'success' },
      { status: 'error', data: null },
      { status: 'success', data: null, error: ERROR },
      { status: 'success', data: null, id: 'x' },
      { status: 'success', data: null, extensions: { plain: 1 } },
      { status: 'success', data: null, resources: [{ id: 'a' }] },
      { status: 'success', data: null, resources: [{ id: 'a', base64: '', url: 'https://x' }] },
      { status: 'accepted', data: null, task: { ...TASK, state: 'failed' } },
    ],
  },
  presentation: { good: [{}, { summary: 's', title: null }], bad: [{ summary: 's'.repeat(65_537) }, { html: '' }, []] },
  problem: {
    good: [{ type: 'urn:x', title: 't', status: 404, detail: 'd', code: 'NOT_FOUND' }],
    bad: [
      { type: 'urn:x', title: 't', status: 404, detail: 'd' },
      { type: 'urn:x', title: 't', status: '404', detail: 'd', code: 'c' },
    ],
  },
  'progress-event': {
    good: [{ type: 'vcp_info', invocationId, taskId: null, stage: null, progress: 0, message: null }],
    bad: [
      { type: 'vcp_info', invocationId, taskId: null, stage: null, progress: 2, message: null },
      { type: 'vcp_log' },
    ],
  },
  'progress-frame': {
    good: [{ vcp: 'progress', version: '1.0', payload: {} }],
    bad: [
      { vcp: 'progress', version: '1.0' },
      { vcp: 'progress', version: '1.0', payload: { progress: -1 } },
    ],
  },
  'resource-descriptor': {
    good: [descriptor(), descriptor({ sizeBytes: null, sha256: null, dimensions: null })],
    bad: [
      without(descriptor(), 'access'),
      descriptor({ sha256: 'xyz' }),
      descriptor({ kind: 'picture' }),
      descriptor({ dimensions: { width: 0, height: 1 } }),
      descriptor({ localPath: 'x' }),
    ],
  },
  'resource-draft': {
    good: [
      { id: 'a', base64: '' },
      {
        id: 'a',
        localPath: 'b/c.png',
        kind: 'image',
        role: 'preview',
        mimeType: 'image/png',
        fileName: '猫.png',
        metadata: {},
      },
    ],
    bad: [
      { id: 'a' },
      { base64: '' },
      { id: 'a', base64: '', dataUri: 'data:,' },
      { id: 'a', base64: '', mimeType: 'png' },
      { id: 'a', base64: '', path: 'x' },
    ],
  },
  'collection-report': {
    good: [{ results: 0, records: 1, resources: 2, blobs: 3, bytes: 4, dryRun: true }],
    bad: [
      { results: 0, records: 1, resources: 2, blobs: 3, bytes: 4 },
      { results: -1, records: 1, resources: 2, blobs: 3, bytes: 4, dryRun: true },
      { results: 0.5, records: 1, resources: 2, blobs: 3, bytes: 4, dryRun: false },
    ],
  },
  'resource-input': {
    good: [
      { $resource: 'a' },
      'res_01JABCDEFGHJKMNPQRSTVWXYZ0',
      'data:text/plain,x',
      'DATA:,',
      'https://vcp.example/v1/resources/res_01JABCDEFGHJKMNPQRSTVWXYZ0',
    ],
    bad: ['', 'a', 'res_1', 'file:///etc/passwd', {}, { $resource: '' }, { $resource: 'a', b: 1 }, 1, null, []],
  },
  'resource-link-request': {
    good: [{}, { expiresInMs: 1_000 }],
    bad: [{ expiresInMs: 999 }, { expiresInMs: 1_000.5 }, { expiresInMs: '1000' }, { expires: 1 }, []],
  },
  'resource-reference': { good: [{ $resource: 'a' }], bad: [{}, { $resource: '' }, { $resource: 'a', b: 1 }, 'a'] },
  schedule: {
    good: [
      schedule,
      { ...schedule, at: '2026-12-01T08:30:00Z', cron: null, timeZone: null, state: 'ended', nextRunAt: null },
    ],
    bad: [
      { ...schedule, state: 'asleep' },
      { ...schedule, missed: 'all' },
      { ...schedule, id: `run_${ULID}` },
      { ...schedule, x: 1 },
      without(schedule, 'owner'),
    ],
  },
  'schedule-details': {
    good: [
      { schedule, runs: [scheduleRun], nextCursor: null },
      { schedule, runs: [], nextCursor: 'after:x' },
    ],
    bad: [{ schedule, runs: [] }, { schedule, runs: [schedule], nextCursor: null }, schedule],
  },
  'schedule-listing': {
    good: [
      { schedules: [schedule], nextCursor: null },
      { schedules: [], nextCursor: 'after:x' },
    ],
    bad: [[], { schedules: [] }, { schedules: [scheduleRun], nextCursor: null }],
  },
  'schedule-request': {
    good: [
      { tool: 'Sample', at: '2026-12-01T09:30:00+01:00' },
      {
        tool: 'Sample',
        arguments: { n: 1 },
        cron: '0 9 * * *',
        timeZone: 'UTC',
        maxRuns: 1,
        missed: 'once',
        overlap: 'run',
      },
    ],
    bad: [
      { at: '2026-12-01T09:30:00Z' },
      { tool: 'Sample', cron: '' },
      { tool: 'Sample', cron: '* * * * *', maxRuns: 0 },
      { tool: 'Sample', cron: '* * * * *', missed: 'all' },
      { tool: 'Sample', cron: '* * * * *', label: '' },
      { tool: 'Sample', cron: '* * * * *', every: '1h' },
      { tool: 'Sample', arguments: [], cron: '* * * * *' },
    ],
  },
  'schedule-run': {
    good: [
      scheduleRun,
      { ...scheduleRun, state: 'missed', times: 3, attempt: 0, resultId: null, status: null, reason: 'no server ran' },
    ],
    bad: [
      { ...scheduleRun, times: 0 },
      { ...scheduleRun, state: 'done' },
      { ...scheduleRun, status: 'ok' },
      without(scheduleRun, 'reason'),
    ],
  },
  'task-cancellation': { good: [{}, { reason: 'late' }], bad: [{ reason: 1 }, { why: 'late' }, []] },
  'task-description': {
    good: [taskDescription, { ...taskDescription, kind: 'deferred', command: null, approvalId: `apr_${ULID}` }],
    bad: [
      { ...taskDescription, state: 'done' },
      without(taskDescription, 'resultId'),
      { ...taskDescription, token: 'x' },
    ],
  },
  'task-listing': {
    good: [
      { tasks: [], nextCursor: null },
      { tasks: [taskDescription], nextCursor: 'after:x' },
    ],
    bad: [{ tasks: [{}], nextCursor: null }, { tasks: [] }],
  },
  task: {
    good: [TASK, { ...TASK, state: 'timed_out', progress: 1 }],
    bad: [{ ...TASK, state: 'done' }, { ...TASK, progress: 2 }, { ...TASK, id: 'x' }, { state: 'queued' }],
  },
  'tool-description': {
    good: [tool, { ...tool, commands: [] }],
    bad: [
      without(tool, 'commands'),
      { ...tool, pluginType: 'x' },
      { ...tool, entryPoint: {} },
      { ...tool, timeoutMs: 0.5 },
    ],
  },
  'tool-error': { good: [TOOL_ERROR], bad: [ERROR, { ...TOOL_ERROR, code: 'x' }, { ...TOOL_ERROR, x: 1 }] },
  'tool-invocation-frame': {
    good: [{ vcp: 'tool-invocation', version: '1.0', payload: call }],
    bad: [
      { vcp: 'tool-invocation', version: '1.1', payload: call },
      { vcp: 'tool-invocation', version: '1.0', payload: {} },
    ],
  },
  'plugin-listing': {
    good: [{ plugins: [] }, { plugins: [pluginStatus, { ...refusedPlugin, loadedAt: null, digest: null }] }],
    bad: [{}, { plugins: [{}] }, { plugins: [], more: 1 }],
  },
  'plugin-patch': {
    good: [{ enabled: true }, { enabled: false }, { enabled: null }],
    bad: [{}, { enabled: 'no' }, { enabled: true, name: 'Sample' }],
  },
  'plugin-reload': {
    good: [{ changes: [pluginChange], configuration: reloadedConfiguration }],
    bad: [{ changes: [] }, { changes: [{ ...pluginChange, change: 'lost' }], configuration: reloadedConfiguration }],
  },
  'plugin-status': {
    good: [pluginStatus],
    bad: [without(pluginStatus, 'digest'), { ...pluginStatus, state: 'gone' }, { ...pluginStatus, loadedAt: 'now' }],
  },
  'tool-listing': {
    good: [
      { tools: [tool] },
      { tools: [], refused: [{ name: null, location: 'l', reason: 'r', issues: [{ pointer: '', message: 'm' }] }] },
      { tools: [], refused: [{ name: 'S', location: 'l', reason: 'r', issues: [], serving: '1.0.0' }] },
    ],
    bad: [{}, { tools: [{}] }, { tools: [], refused: [{ name: null }] }],
  },
  'tool-result-frame': {
    good: [{ vcp: 'tool-result', version: '1.0', payload: 1 }],
    bad: [
      { vcp: 'tool-result', version: '1.0' },
      { vcp: 'tool-result', version: '1.0', payload: {}, x: 1 },
    ],
  },
  warning: {
    good: [{ code: 'A_B', message: 'm' }],
    bad: [{ code: 'a', message: 'm' }, { code: 'A' }, { code: 'A', message: 'm', level: 1 }],
  },
};
