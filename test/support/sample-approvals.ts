import type { StoredApproval } from '../../src/ports/approval-store.ts';
import { sampleIds } from './sample-calls.ts';

export const APPROVAL_NOW = Date.parse('2026-11-30T12:00:00.000Z');

/** An approval whose caller waits, an hour before its end. */
export const sampleApproval = (changes: Partial<StoredApproval> = {}): StoredApproval => ({
  id: sampleIds.next('approval'),
  owner: 'owner',
  state: 'pending',
  requiredBy: { by: 'rule', reason: 'it deletes' },
  toolName: 'Sample',
  displayName: 'Sample tool',
  pluginVersion: '1.0.0',
  pluginDigest: 'd'.repeat(64),
  command: 'Run',
  actor: { type: 'human', id: 'owner', name: 'Ann', maid: null },
  source: 'human',
  hash: 'a'.repeat(64),
  invocationId: sampleIds.next('invocation'),
  requestId: sampleIds.next('request'),
  createdAt: APPROVAL_NOW,
  expiresAt: APPROVAL_NOW + 3_600_000,
  decidedAt: null,
  decidedBy: null,
  reason: null,
  taskId: null,
  heldBy: 'first',
  leaseUntil: APPROVAL_NOW + 15_000,
  ranAt: null,
  resultId: null,
  call: {
    arguments: { path: '/srv/files/old', really: true },
    resources: [
      {
        id: sampleIds.next('resource'),
        fileName: 'a.txt',
        mimeType: 'text/plain',
        sizeBytes: 3,
        sha256: 'b'.repeat(64),
      },
    ],
    conversation: { messages: [{ role: 'user', content: 'clean up, please' }], omitted: 2 },
    requestIp: '127.0.0.1',
    nodeId: null,
    timeoutMs: 500,
    warnings: [{ code: 'REPEATED_KEY', message: 'twice', target: null, details: null }],
  },
  ...changes,
});
