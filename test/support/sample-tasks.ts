import type { StoredTask } from '../../src/ports/task-store.ts';
import { sampleIds } from './sample-calls.ts';

export const TASK_TIME = Date.parse('2026-11-30T12:00:00.000Z');

/** A task that a plugin's call has just begun. */
export const sampleTask = (changes: Partial<StoredTask> = {}): StoredTask => ({
  id: sampleIds.next('task'),
  owner: 'owner',
  kind: 'plugin',
  toolName: 'Sample',
  displayName: 'Sample tool',
  pluginVersion: '1.0.0',
  command: {
    commandIdentifier: 'Run',
    description: 'Runs.',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    idempotent: false,
    approval: false,
    async: true,
    mirror: false,
  },
  state: 'created',
  progress: null,
  stage: null,
  message: null,
  invocationId: sampleIds.next('invocation'),
  requestId: sampleIds.next('request'),
  source: 'human',
  actor: { type: 'agent', id: 'a1', name: 'Ann', maid: null },
  requestIp: '192.0.2.7',
  nodeId: null,
  extensions: { 'vcp.caller': { gave: ['C:\\data'] } },
  acceptedResultId: null,
  resultId: null,
  approvalId: null,
  serverId: 'test',
  createdAt: TASK_TIME,
  updatedAt: TASK_TIME,
  expiresAt: TASK_TIME + 60_000,
  ...changes,
});
