/** Differences up to which the shortest script is looked for; the search keeps the square of it in memory. */
const MOST_DIFFERENCES = 1500;

export enum Step {
  Keep,
  Remove,
  Add,
}

export class EditScript {
  constructor(
    public readonly steps: Array<Step>,
    /** False where the texts differ so much that all of the middle was replaced. */
    public readonly isShortest: bool,
  ) {}
}

/** The shortest way from one list of lines to another, by Myers' greedy search; equal begins and ends are set apart. */
export function editScript(before: Array<string>, after: Array<string>): EditScript {
  let start = 0;
  const shorter = min(before.length, after.length);
  while (start < shorter && before[start] == after[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] == after[after.length - 1 - end]) end++;

  const removed = before.length - start - end;
  const added = after.length - start - end;
  const steps = new Array<Step>();
  for (let at = 0; at < start; at++) steps.push(Step.Keep);
  const middle = shortestMiddle(before, after, start, removed, added);
  if (middle === null) {
    for (let at = 0; at < removed; at++) steps.push(Step.Remove);
    for (let at = 0; at < added; at++) steps.push(Step.Add);
  } else for (let at = 0; at < middle.length; at++) steps.push(middle[at]);
  for (let at = 0; at < end; at++) steps.push(Step.Keep);
  return new EditScript(steps, middle !== null);
}

/** Null when more than the most differences would be needed. */
function shortestMiddle(before: Array<string>, after: Array<string>, start: i32, n: i32, m: i32): Array<Step> | null {
  const most = min(n + m, MOST_DIFFERENCES);
  const centre = most + 1;
  // How far each diagonal reaches; the states after each number of differences are kept to walk back.
  const reach = new StaticArray<i32>(2 * most + 3);
  const history = new Array<StaticArray<i32>>();
  for (let d = 0; d <= most; d++) {
    for (let k = -d; k <= d; k += 2) {
      const isDown = k == -d || (k != d && reach[centre + k - 1] < reach[centre + k + 1]);
      let x = isDown ? reach[centre + k + 1] : reach[centre + k - 1] + 1;
      while (x < n && x - k < m && before[start + x] == after[start + x - k]) x++;
      reach[centre + k] = x;
      if (x >= n && x - k >= m) return walkBack(history, n, m, d);
    }
    const kept = new StaticArray<i32>(2 * d + 1);
    for (let k = -d; k <= d; k++) kept[k + d] = reach[centre + k];
    history.push(kept);
  }
  return null;
}

function walkBack(history: Array<StaticArray<i32>>, n: i32, m: i32, differences: i32): Array<Step> {
  const steps = new Array<Step>();
  let x = n;
  let y = m;
  for (let d = differences; d > 0; d--) {
    const reach = history[d - 1];
    const k = x - y;
    const isDown = k == -d || (k != d && reachAt(reach, d - 1, k - 1) < reachAt(reach, d - 1, k + 1));
    const startX = isDown ? reachAt(reach, d - 1, k + 1) : reachAt(reach, d - 1, k - 1) + 1;
    while (x > startX) {
      steps.push(Step.Keep);
      x--;
      y--;
    }
    steps.push(isDown ? Step.Add : Step.Remove);
    if (isDown) y--;
    else x--;
  }
  while (x > 0) {
    steps.push(Step.Keep);
    x--;
  }
  return steps.reverse();
}

/** Diagonals outside of what had been reached are never the farther ones. */
function reachAt(reach: StaticArray<i32>, d: i32, k: i32): i32 {
  return abs(k) > d ? -1 : reach[k + d];
}
