// The example of a sandboxed tool whose work is done by a service, on a server; `npm run edge -- --check` has it on Workers.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildJobRelay } from '../../scripts/lib/build-job-relay.ts';
import { checkEdgeTask } from '../../scripts/lib/check-edge-task.ts';
import { startJobService, type JobService } from '../../scripts/lib/job-service.ts';
import { watchEvents } from '../../scripts/lib/watch-events.ts';
import { startServerProcess, temporaryHome, type ServerProcess } from '../support/server-process.ts';

const home = temporaryHome();
let jobs: JobService;
let server: ServerProcess;

beforeAll(async () => {
  jobs = await startJobService();
  await buildJobRelay(home.plugins, jobs.port);
  server = await startServerProcess(home, { VCP_PLUGIN_DIRS: home.plugins, VCP_OPEN_NETWORKS: '127.0.0.1/32' });
}, 60_000);
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  await jobs.close();
  home.remove();
}, 60_000);

it('hands a job over, and its task ends with the picture that the service sends', async () => {
  const told: string[] = [];
  const events = await watchEvents(server.url, server.request);
  await checkEdgeTask(server.request, jobs, events, (line) => told.push(line));
  events.close();
  expect(told).toHaveLength(5);
});

it('says so when the service cannot be reached', async () => {
  await jobs.close();
  const { status, error } = await server.call('JobRelay', { command: 'Draw', prompt: 'a lighthouse' });
  expect([status, error?.code]).toEqual(['error', 'JOB.UNREACHABLE']);
  jobs = await startJobService();
});
