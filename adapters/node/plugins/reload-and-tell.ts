import { describeFault } from '../../../src/lib/describe-fault.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { PluginService } from '../../../src/runtime/plugin-service.ts';

/** Reloads for nobody who waits for the outcome: the log tells of what was taken over, and of a look that failed. */
export const reloadAndTell = async (service: Pick<PluginService, 'reload'>, logger: Logger): Promise<void> => {
  try {
    await service.reload();
  } catch (error) {
    logger.error('plugins.not-reloaded', { fault: describeFault(error) });
  }
};
