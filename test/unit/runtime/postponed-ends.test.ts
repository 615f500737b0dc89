import { describe, expect, it } from 'vitest';
import { createPostponedEnds } from '../../../src/runtime/tasks/postponed-ends.ts';

describe('ends that could not be stored', () => {
  it('are tried until they are, each by itself', async () => {
    const ends = createPostponedEnds();
    const tried: string[] = [];
    ends.put('a', async () => {
      tried.push('a');
      ends.done('a');
    });
    const again = async () => {
      tried.push('b');
      ends.put('b', again);
    };
    ends.put('b', again);
    await ends.tryAgain();
    await ends.tryAgain();
    expect(tried).toEqual(['a', 'b', 'b']);
  });

  it('are given up in the end', async () => {
    const ends = createPostponedEnds();
    let tries = 0;
    const again = async () => {
      tries += 1;
      ends.put('a', again);
    };
    ends.put('a', again);
    for (let look = 0; look < 200; look += 1) await ends.tryAgain();
    expect(tries).toBe(100);
  });
});
