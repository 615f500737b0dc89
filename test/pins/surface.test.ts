import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import openapi from '../../schemas/openapi.json' with { type: 'json' };
import { DEFAULT_LIMITS } from '../../src/lib/limits.ts';
import { Configuration, limitVariable } from '../../src/server/configuration.ts';
import { createMemoryApp } from '../support/memory-runtime.ts';

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** Method and path of every route, middleware left out. */
const routesOf = ({ app }: ReturnType<typeof createMemoryApp>): string[] =>
  [
    ...new Set(
      app.routes
        .filter((route) => METHODS.has(route.method.toLowerCase()))
        .map((route) => `${route.method} ${route.path}`),
    ),
  ].toSorted();

describe('the HTTP surface', () => {
  it('has these routes', () => {
    expect(routesOf(createMemoryApp())).toEqual([
      'GET /',
      'GET /docs',
      'GET /docs/',
      'GET /docs/:file',
      'GET /healthz',
      'GET /metrics',
      'GET /openapi.json',
      'GET /readyz',
      'GET /schemas/1.0',
      'GET /schemas/1.0/:name',
      'GET /v1/plugins',
      'GET /v1/records',
      'GET /v1/records/:id',
      'GET /v1/resources/:id',
      'GET /v1/resources/:id/:fileName',
      'GET /v1/results/:id',
      'GET /v1/tools',
      'GET /v1/tools/:tool',
      'GET /v1/tools/:tool/commands/:command/ports',
      'GET /version',
      'PATCH /v1/plugins/:name',
      'POST /v1/human/tool',
      'POST /v1/plugins/reload',
      'POST /v1/resources',
      'POST /v1/resources/:id/links',
      'POST /v1/resources/gc',
    ]);
  });

  it('is what the OpenAPI document describes, route for route', () => {
    const described = Object.entries(openapi.paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((method) => METHODS.has(method))
        .map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    // These only lead to `/docs`.
    const redirects = new Set(['GET /', 'GET /docs/']);
    const served = routesOf(createMemoryApp()).filter((route) => !redirects.has(route));
    expect(described.toSorted()).toEqual(served);
  });

  it('leaves open what the OpenAPI document says is open, and nothing else', async () => {
    const { app } = createMemoryApp();
    const open = await Promise.all(
      Object.entries(openapi.paths).flatMap(([path, operations]) =>
        Object.entries(operations as Record<string, { security?: unknown[] }>).map(async ([method, operation]) => {
          const { status } = await app.request(path.replaceAll(/\{\w+\}/g, 'x'), { method: method.toUpperCase() });
          return { path, isOpen: status !== 401, saysOpen: operation.security?.length === 0 };
        }),
      ),
    );
    expect(open.filter(({ isOpen, saysOpen }) => isOpen !== saysOpen)).toEqual([]);
    expect(open.some(({ isOpen }) => isOpen)).toBe(true);
  });
});

describe('the published schemas', () => {
  it('are these files', () => {
    expect(readdirSync(resolve(import.meta.dirname, '../../schemas/1.0')).toSorted()).toEqual([
      'actor.schema.json',
      'ai-advice.schema.json',
      'api-keys.schema.json',
      'bridge-envelope.schema.json',
      'callback.schema.json',
      'cancel-frame.schema.json',
      'canonical-tool-result.schema.json',
      'collection-report.schema.json',
      'command-ports.schema.json',
      'human-tool-request.schema.json',
      'invocation.schema.json',
      'json-object.schema.json',
      'json-value.schema.json',
      'migration-ledger.schema.json',
      'plugin-error.schema.json',
      'plugin-invocation.schema.json',
      'plugin-listing.schema.json',
      'plugin-manifest.schema.json',
      'plugin-patch.schema.json',
      'plugin-reload.schema.json',
      'plugin-result-payload.schema.json',
      'plugin-status.schema.json',
      'presentation.schema.json',
      'problem.schema.json',
      'progress-event.schema.json',
      'progress-frame.schema.json',
      'resource-descriptor.schema.json',
      'resource-draft.schema.json',
      'resource-input.schema.json',
      'resource-link-request.schema.json',
      'resource-reference.schema.json',
      'task.schema.json',
      'tool-description.schema.json',
      'tool-error.schema.json',
      'tool-invocation-frame.schema.json',
      'tool-listing.schema.json',
      'tool-result-frame.schema.json',
      'warning.schema.json',
    ]);
  });
});

describe('the configuration', () => {
  it('has these variables', () => {
    expect(Object.keys(Configuration.shape).toSorted()).toEqual([
      'VCP_API_KEY',
      'VCP_API_KEYS',
      'VCP_API_KEYS_FILE',
      'VCP_CORS_ORIGINS',
      'VCP_DATA_DIR',
      'VCP_EXPAND_ROLES',
      'VCP_HOST',
      'VCP_LOCALE',
      'VCP_LOG_LEVEL',
      'VCP_MODEL_REDIRECTS',
      'VCP_OPEN_NETWORKS',
      'VCP_PLUGIN_DIRS',
      'VCP_PORT',
      'VCP_PREPROCESSORS',
      'VCP_PROMPT_DIR',
      'VCP_PUBLIC_URL',
      'VCP_REQUIRED_PREPROCESSORS',
      'VCP_SERVER_ID',
      'VCP_SHUTDOWN_MS',
      'VCP_SIGNING_KEY',
      'VCP_TIMEZONE',
      'VCP_TRUSTED_MODULES',
      'VCP_UPSTREAM_KEY',
      'VCP_UPSTREAM_KIND',
      'VCP_UPSTREAM_URL',
      'VCP_WATCH',
    ]);
  });

  it('has these limits and defaults', () => {
    expect(
      Object.fromEntries(Object.entries(DEFAULT_LIMITS).map(([name, value]) => [limitVariable(name), value])),
    ).toEqual({
      VCP_LIMIT_EXPANDED_CHARACTERS: 4_194_304,
      VCP_LIMIT_PLACEHOLDER_BYTES: 1_048_576,
      VCP_LIMIT_PLACEHOLDER_CHARACTERS: 16_384,
      VCP_LIMIT_PREPROCESSED_CHARACTERS: 33_554_432,
      VCP_LIMIT_PREPROCESSOR_MS: 10_000,
      VCP_LIMIT_PROMPT_FILE_BYTES: 1_048_576,
      VCP_LIMIT_TOOL_LIST_CHARACTERS: 32_000,
      VCP_LIMIT_VARIABLES_PER_REQUEST: 256,
      VCP_LIMIT_VARIABLE_CHARACTERS: 1_048_576,
      VCP_LIMIT_VARIABLE_DEPTH: 16,
      VCP_LIMIT_VARIABLE_MS: 5_000,
      VCP_LIMIT_VARIABLE_TOKENS: 100_000,
      VCP_LIMIT_WASM_FUEL: 20_000_000_000,
      VCP_LIMIT_WASM_HOST_BYTES: 67_108_864,
      VCP_LIMIT_WASM_HOST_CALLS: 10_000,
      VCP_LIMIT_WASM_HTTP_BYTES: 16_777_216,
      VCP_LIMIT_WASM_HTTP_MS: 30_000,
      VCP_LIMIT_WASM_HTTP_REQUESTS: 16,
      VCP_LIMIT_WASM_IDLE_MS: 120_000,
      VCP_LIMIT_WASM_KV_BYTES: 1_048_576,
      VCP_LIMIT_WASM_LOG_BYTES: 65_536,
      VCP_LIMIT_WASM_MEMORY_PAGES: 1_024,
      VCP_LIMIT_WASM_OUTPUT_BYTES: 16_777_216,
      VCP_LIMIT_WASM_OUTPUT_NODES: 500_000,
      VCP_LIMIT_WASM_QUEUED_RUNS: 1_024,
      VCP_LIMIT_WASM_WORKERS: 0,
      VCP_LIMIT_WASM_WORKER_MEMORY_BYTES: 268_435_456,
      VCP_LIMIT_WASM_WORKER_RUNS: 10_000,
      VCP_LIMIT_LINK_MS: 86_400_000,
      VCP_LIMIT_REQUEST_MS: 1_800_000,
      VCP_LIMIT_RETAIN_RESULTS_MS: 0,
      VCP_LIMIT_RETAIN_RECORDS_MS: 0,
      VCP_LIMIT_RETAIN_UPLOADS_MS: 2_592_000_000,
      VCP_LIMIT_BLOB_GRACE_MS: 90_000_000,
      VCP_LIMIT_COLLECT_EVERY_MS: 3_600_000,
      VCP_LIMIT_DOWNLOAD_STALL_MS: 120_000,
      VCP_LIMIT_INSTRUCTION_BLOCK_BYTES: 4_194_304,
      VCP_LIMIT_INSTRUCTION_STEPS: 64,
      VCP_LIMIT_JSON_DEPTH: 64,
      VCP_LIMIT_JSON_NODES: 2_000_000,
      VCP_LIMIT_FRAME_BYTES: 16_777_216,
      VCP_LIMIT_STDERR_BYTES: 65_536,
      VCP_LIMIT_PROGRESS_FRAMES: 10_000,
      VCP_LIMIT_REQUEST_BODY_BYTES: 16_777_216,
      VCP_LIMIT_STDIO_CONCURRENCY: 8,
      VCP_LIMIT_CALL_TIMEOUT_MS: 60_000,
      VCP_LIMIT_DIRECT_CONCURRENCY: 256,
      VCP_LIMIT_QUEUED_CALLS: 1_024,
      VCP_LIMIT_CALL_ATTEMPTS: 3,
      VCP_LIMIT_RETRY_DELAY_MS: 200,
      VCP_LIMIT_LONGEST_RETRY_DELAY_MS: 10_000,
      VCP_LIMIT_IDEMPOTENCY_MS: 86_400_000,
      VCP_LIMIT_IDEMPOTENCY_LEASE_MS: 15_000,
      VCP_LIMIT_KILL_GRACE_MS: 750,
      VCP_LIMIT_DRAIN_MS: 1_000,
      VCP_LIMIT_RESOURCES_PER_RESULT: 64,
      VCP_LIMIT_RESOURCE_BYTES: 67_108_864,
      VCP_LIMIT_RESOURCE_BYTES_PER_RESULT: 268_435_456,
      VCP_LIMIT_DIRECTORY_ENTRIES: 10_000,
      VCP_LIMIT_MIRROR_MS: 30_000,
      VCP_LIMIT_MANIFEST_BYTES: 1_048_576,
      VCP_LIMIT_RELOAD_QUIET_MS: 200,
      VCP_LIMIT_RELOAD_AT_MOST_MS: 5_000,
      VCP_LIMIT_RELOAD_POLL_MS: 2_000,
      VCP_LIMIT_PLUGIN_FILES: 10_000,
      VCP_LIMIT_COMPARED_FILE_BYTES: 1_048_576,
      VCP_LIMIT_MODULE_LOAD_MS: 10_000,
      VCP_LIMIT_REPORTED_ISSUES: 16,
      VCP_LIMIT_KEYS_FILE_BYTES: 1_048_576,
      VCP_LIMIT_FREE_WRONG_KEYS: 10,
      VCP_LIMIT_WRONG_KEY_DELAY_MS: 300_000,
      VCP_LIMIT_TRACKED_ADDRESSES: 10_000,
      VCP_LIMIT_TRACKED_RATES: 100_000,
      VCP_LIMIT_STREAM_KEEP_ALIVE_MS: 15_000,
      VCP_LIMIT_AUDIT_DATA_CHARACTERS: 8_192,
      VCP_LIMIT_STANDBY_PROCESSES: 8,
      VCP_LIMIT_STANDBY_IDLE_MS: 120_000,
      VCP_LIMIT_WORKER_CONCURRENCY: 32,
      VCP_LIMIT_WORKER_CALLS: 10_000,
      VCP_LIMIT_WORKER_IDLE_MS: 600_000,
      VCP_LIMIT_WORKER_MEMORY_BYTES: 536_870_912,
      VCP_LIMIT_READINESS_CHECK_MS: 2_000,
      VCP_LIMIT_READINESS_CACHE_MS: 1_000,
      VCP_LIMIT_FREE_DISK_BYTES: 67_108_864,
      VCP_LIMIT_UPSTREAM_REQUEST_MS: 600_000,
      VCP_LIMIT_UPSTREAM_IDLE_MS: 120_000,
      VCP_LIMIT_UPSTREAM_ATTEMPTS: 3,
      VCP_LIMIT_UPSTREAM_RETRY_DELAY_MS: 500,
      VCP_LIMIT_UPSTREAM_LONGEST_RETRY_DELAY_MS: 30_000,
      VCP_LIMIT_UPSTREAM_ANSWER_BYTES: 33_554_432,
      VCP_LIMIT_UPSTREAM_EVENT_BYTES: 16_777_216,
      VCP_LIMIT_UPSTREAM_STREAM_BYTES: 67_108_864,
      VCP_LIMIT_UPSTREAM_ANSWER_TOKENS: 8_192,
    });
  });
});
