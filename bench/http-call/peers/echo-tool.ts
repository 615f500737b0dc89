import { echo } from '../plugins/BenchEcho/bench-echo.mjs';
import type { EchoInput as EchoArguments } from '../plugins/BenchEcho/bench-echo.mjs';
import { EchoInput, EchoOutput } from './echo-schemas.ts';

/** The benchmark's tool as every server of the SDK takes it: its name, what it is, and what it does. */
export const echoTool = [
  'BenchEcho',
  { description: 'Bench Echo', inputSchema: EchoInput, outputSchema: EchoOutput },
  (input: EchoArguments) => {
    const output = echo(input);
    return { content: [{ type: 'text' as const, text: JSON.stringify(output) }], structuredContent: { ...output } };
  },
] as const;
