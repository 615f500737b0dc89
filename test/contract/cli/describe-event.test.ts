import { describe, expect, it } from 'vitest';
import { describeEvent } from '../../../adapters/node/cli/describe-event.ts';
import type { VcpEvent } from '../../../src/protocol/event.ts';
import { SCHEMA_SAMPLES } from '../../support/schema-samples.ts';

const plain = (_: unknown, text: string) => text;
const lineOf = (event: object) => describeEvent(event as VcpEvent, plain).replace(/^\d\d:\d\d:\d\d /, '');
const samples = SCHEMA_SAMPLES['event']!.good as VcpEvent[];

describe('an event on a terminal', () => {
  it('is one line, whatever its type', () => {
    expect(samples.map(lineOf)).toEqual([
      'vcp_info       Sample  half  50%',
      'vcp_log        Sample  info  m  {"port":1}',
      'task           Sample  running  100%',
      'approval       Sample  pending  Run',
      'result         Sample  TOOL_TIMEOUT',
      'schedule       Sample  missed  2026-11-30T12:00:00.000Z',
      'ai_message     Sample  m',
      'plugin_message Sample  n',
    ]);
  });

  it('gives a terminal no orders, and is never more than a line', () => {
    const [info] = samples;
    const line = lineOf({ ...info, message: 'a\u001B[2Jb\nc\u0007' });
    expect(line).toBe('vcp_info       Sample  half  50%  ab c\\u0007');
  });

  it('is cut when there is much to say', () => {
    const message = { text: 'x'.repeat(2_000) };
    expect(lineOf({ ...samples[7], data: { plugin: 'p', name: 'n', message } }).length).toBeLessThan(500);
  });
});
