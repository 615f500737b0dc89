// Limits that a manifest asks for itself: they tighten those of the server, and never widen them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeUnharmed, detailsOf, ECHO, INVALID_RESULT, SUCCESS, verdictOf } from '../../support/call-expectations.ts';
import { openNodeRuntime, type NodeRuntime } from '../../support/node-runtime.ts';

const print = (characters: number) => ({
  command: 'node',
  args: [
    '-e',
    `console.log(JSON.stringify({vcp:"tool-result",version:"1.0",payload:{status:"success",data:"x".repeat(${characters})}}))`,
  ],
});
const complain = {
  command: 'node',
  args: ['-e', 'process.stderr.write("a".repeat(5000)+"end"); process.exitCode = 3'],
};
const limits = (asked: Record<string, number>) => ({ more: { limits: asked } });

let host: NodeRuntime;
beforeAll(async () => {
  host = await openNodeRuntime(
    [
      ECHO,
      { name: 'Little', ...print(500), ...limits({ outputBytes: 1_000 }) },
      { name: 'TooMuch', ...print(2_000), ...limits({ outputBytes: 1_000 }) },
      { name: 'Usual', ...print(2_000) },
      { name: 'Greedy', ...print(60_000), ...limits({ outputBytes: 1_000_000 }) },
      { name: 'Quiet', ...complain, ...limits({ logBytes: 100 }) },
      { name: 'Loud', ...complain },
      { name: 'Louder', ...complain, ...limits({ logBytes: 1_000_000 }) },
    ],
    { limits: { frameBytes: 50_000, stderrBytes: 4_000 } },
  );
});
afterAll(() => closeUnharmed(host));

describe('limits.outputBytes of a manifest', () => {
  it('lets a smaller frame pass', async () => {
    expect(verdictOf(await host.call('Little'))).toEqual(SUCCESS);
  });

  it('refuses a larger frame, which the server alone would take', async () => {
    const result = await host.call('TooMuch');
    expect(verdictOf(result)).toEqual(INVALID_RESULT);
    expect(result.error?.message).toContain('1000 bytes');
    expect(verdictOf(await host.call('Usual'))).toEqual(SUCCESS);
  });

  it('gives no more than the server does', async () => {
    const result = await host.call('Greedy');
    expect(verdictOf(result)).toEqual(INVALID_RESULT);
    expect(result.error?.message).toContain('50000 bytes');
  });
});

describe('limits.logBytes of a manifest', () => {
  it.each([
    ['Quiet', 100],
    ['Loud', 4_000],
    ['Louder', 4_000],
  ])('of %s keeps the last %i bytes of what the process said', async (tool, bytes) => {
    const stderr = String(detailsOf(await host.call(tool))['stderr']);
    expect(stderr).toMatch(/a+end$/);
    expect(stderr.length).toBeLessThanOrEqual(bytes + 1);
    expect(stderr.length).toBeGreaterThan(bytes - 10);
  });
});
