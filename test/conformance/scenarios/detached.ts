import { expect, it } from 'vitest';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import { success, type Caller } from '../target.ts';

/** `Prefer: respond-async`: the answer is `accepted`, and the call goes on behind it. */
export const detachedScenarios = ({ request, getJson, view }: Caller): void => {
  it('brings a call to its end whose answer has left', async () => {
    const response = await request('/v1/human/tool', {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify({
        tool: 'PayloadEcho',
        arguments: { command: 'Linger', payload: success({ is: 'there' }) },
      }),
    });
    const accepted = CanonicalToolResult.parse(await response.json());
    expect(accepted).toMatchObject({ status: 'accepted', data: null });
    const ended = () => getJson<{ state: string; resultId: string }>(`/v1/tasks/${accepted.task?.id}`);
    await expect.poll(async () => (await ended()).state, { timeout: 10_000, interval: 100 }).toBe('completed');
    expect(await view((await ended()).resultId, 'canonical')).toMatchObject({ data: { is: 'there' } });
  });
};
