import { createCallbackAddresses } from '../../src/runtime/tasks/callback-addresses.ts';
import { createMemoryApprovalStore } from '../../adapters/memory/memory-approval-store.ts';
import { createTaskApprovals } from '../../src/runtime/task-approvals.ts';
import { createTaskService, type TaskServiceDependencies } from '../../src/runtime/tasks/task-service.ts';
import { createTaskTokens } from '../../src/task/task-tokens.ts';

/** The tasks of a test runtime, and what lets its plugins call back. */
export const createTestTasks = (
  given: Omit<TaskServiceDependencies, 'approvals'> & Partial<Pick<TaskServiceDependencies, 'approvals'>>,
  baseUrl = () => 'https://vcp.example',
) => {
  const dependencies: TaskServiceDependencies = {
    ...given,
    approvals: given.approvals ?? createTaskApprovals({ ...given, approvals: createMemoryApprovalStore() }),
  };
  const { clock, limits } = dependencies;
  const tokens = createTaskTokens({ secrets: ['a secret of the test server'], now: () => clock.now() });
  return {
    tasks: createTaskService(dependencies),
    tokens,
    callbacks: createCallbackAddresses({ baseUrl, tokens, limits }),
  };
};
