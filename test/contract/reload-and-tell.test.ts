import { expect, it } from 'vitest';
import { reloadAndTell } from '../../adapters/node/plugins/reload-and-tell.ts';
import { silentLogger } from '../support/silent-logger.ts';

it('a reload that nobody waits for leaves a line in the log when it fails', async () => {
  const logged: [string, unknown][] = [];
  const logger = { ...silentLogger, error: (event: string, fields: unknown) => void logged.push([event, fields]) };
  await reloadAndTell({ reload: () => Promise.reject(new Error('the disk is gone')) }, logger);
  expect(logged).toEqual([['plugins.not-reloaded', { fault: expect.stringContaining('the disk is gone') }]]);
});
