// Plain values that many tests begin with. Portable: no runtime's own modules.

/** A ULID that parses; ids in tests are a prefix and this. */
export const ULID = '01JABCDEFGHJKMNPQRSTVWXYZ0';

export const TASK = { id: `task_${ULID}`, state: 'queued' };
export const ERROR = { code: 'INVALID_ARGUMENT', message: 'time is not valid' };
export const TOOL_ERROR = {
  ...ERROR,
  category: 'validation',
  retryable: false,
  target: null,
  details: null,
  cause: null,
};

/** A canonical result that parses, with the given fields instead of its own. */
export const canonicalResult = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  protocol: { name: 'vcp.tool-result', version: '1.0' },
  id: `tr_${ULID}`,
  status: 'success',
  tool: { name: 'Sample', displayName: 'Sample tool', version: '1.0.0', command: 'Run' },
  execution: {
    invocationId: `ti_${ULID}`,
    requestId: `req_${ULID}`,
    recordId: `tcr_${ULID}`,
    startedAt: '2026-07-11T07:30:00.000Z',
    finishedAt: '2026-07-11T07:30:00.023Z',
    durationMs: 23,
    timeoutMs: 60_000,
    attempt: 1,
  },
  actor: { type: 'agent', id: null, name: 'Nova', maid: 'Nova' },
  origin: { source: 'ai-loop', nodeId: null, serverId: 'local', distributed: false, requestIp: null },
  data: { schedules: [] },
  resources: [],
  warnings: [],
  error: null,
  task: null,
  presentation: null,
  aiAdvice: null,
  policy: { classification: 'internal', containsSensitiveData: false, redactionsApplied: [] },
  extensions: {},
  ...fields,
});

/** A published resource that parses. */
export const descriptor = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: `res_${ULID}`,
  kind: 'image',
  role: 'output',
  mimeType: 'image/png',
  fileName: 'picture.png',
  sizeBytes: 183_920,
  sha256: 'a'.repeat(64),
  url: 'https://vcp.example/v1/resources/x/picture.png',
  access: { type: 'managed', expiresAt: null, requiresAuth: true },
  source: { type: 'generated', provider: null },
  dimensions: { width: 4, height: 3 },
  durationMs: null,
  metadata: {},
  ...fields,
});

/** A manifest that is accepted: one command `Run` without a discriminator, served in process. */
export const manifest = (
  fields: Record<string, unknown> = {},
  command: Record<string, unknown> = {},
): Record<string, unknown> => ({
  manifestVersion: '1.0',
  name: 'Sample',
  displayName: 'Sample tool',
  version: '1.0.0',
  description: 'A tool for tests.',
  pluginType: 'synchronous',
  toolResultProtocol: { name: 'vcp.tool-result', version: '1.0' },
  entryPoint: { type: 'module', file: 'main.mjs' },
  communication: { protocol: 'direct' },
  capabilities: {
    invocationCommands: [
      { commandIdentifier: 'Run', description: 'Runs.', inputSchema: true, outputSchema: true, ...command },
    ],
  },
  ...fields,
});

/** The first bytes of common formats, enough to be recognised. */
export const MAGIC = {
  // 3 × 2 pixels
  png: [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 3, 0, 0, 0, 2, 8, 6,
    0, 0, 0, 0, 0, 0, 0,
  ],
  jpeg: [0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00, 0x01, 0x01, 0, 0, 1, 0, 1, 0, 0],
  gif: [0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 5, 0, 4, 0, 0x80, 0, 0],
  webp: [0x52, 0x49, 0x46, 0x46, 0x24, 0, 0, 0, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50, 0x38, 0x20, 0x18, 0, 0, 0],
  pdf: [0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e, 0x37, 0x0a, 0x25, 0xe2, 0xe3, 0xcf, 0xd3, 0x0a],
  // An empty archive.
  zip: [0x50, 0x4b, 0x05, 0x06, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  mp3: [0x49, 0x44, 0x33, 0x03, 0, 0, 0, 0, 0, 0, 0xff, 0xfb, 0x90, 0x64, 0, 0, 0, 0, 0, 0],
  mp4: [
    0, 0, 0, 0x18, 0x66, 0x74, 0x79, 0x70, 0x69, 0x73, 0x6f, 0x6d, 0, 0, 2, 0, 0x69, 0x73, 0x6f, 0x6d, 0x6d, 0x70, 0x34,
    0x32,
  ],
} as const satisfies Record<string, readonly number[]>;

/** Base64 of bytes, without anything of the code under test. */
export const base64Of = (bytes: readonly number[]): string => btoa(String.fromCharCode(...bytes));
