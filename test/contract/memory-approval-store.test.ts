import { createMemoryApprovalStore } from '../../adapters/memory/memory-approval-store.ts';
import { describeApprovalStore } from './suites/approval-store.ts';

describeApprovalStore('memory', async () => ({
  approvals: createMemoryApprovalStore(),
  close: () => Promise.resolve(),
}));
