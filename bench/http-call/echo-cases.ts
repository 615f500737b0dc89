import { echo } from './plugins/BenchEcho/bench-echo.mjs';
import type { EchoInput, EchoOutput } from './plugins/BenchEcho/bench-echo.mjs';

/** One call of the benchmark's tool and its right answer. */
export interface EchoCase {
  input: EchoInput;
  output: EchoOutput;
  /** Text that only the right output contains: the input does not hold it, nor does any other case. */
  marker: string;
}

const CASE_COUNT = 64;
const ITEMS_PER_CASE = 6;

/** Different arguments for successive calls, about 300 bytes of output each. */
export const echoCases: readonly EchoCase[] = Array.from({ length: CASE_COUNT }, (_, number) => {
  const id = String(number).padStart(2, '0');
  const input: EchoInput = {
    text: `case ${id}: the quick brown fox jumps over the lazy dog`,
    times: ITEMS_PER_CASE,
    tags: [`amber-${id}`, `birch-${id}`, `cedar-${id}`],
  };
  const output = echo(input);
  return { input, output, marker: `cedar-${id}#${ITEMS_PER_CASE - 1}` };
});
