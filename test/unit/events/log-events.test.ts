import { describe, expect, it } from 'vitest';
import { withLogEvents } from '../../../src/events/log-events.ts';
import { VcpEvent } from '../../../src/protocol/event.ts';
import { createTestHub, listen } from '../../support/event-hub.ts';

const TURN = '01JABCDEFGHJKMNPQRSTVWXYZ0';

const open = (mostPerSecond = 100) => {
  const test = createTestHub();
  const lines: string[] = [];
  const write = (level: string) => (event: string) => void lines.push(`${level} ${event}`);
  const base = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const clock = { monotonic: () => test.time };
  const logger = withLogEvents(base, test.hub, { clock, mostPerSecond });
  const operator = listen(test.hub, { viewer: { id: 'op', seesEverything: true } });
  return { test, lines, logger, operator, alice: listen(test.hub) };
};

describe('a line of the log', () => {
  it('is an event for operators, with the ids that it carries, and for nobody else', () => {
    const { logger, operator, alice } = open();
    logger.warn('call.broken-off', { invocationId: `ti_${TURN}`, toolName: 'Sample', reason: 'r', left: undefined });
    expect(operator.events).toMatchObject([
      {
        type: 'vcp_log',
        invocationId: `ti_${TURN}`,
        resultId: null,
        toolName: 'Sample',
        data: { level: 'warn', source: 'server', message: 'call.broken-off', details: { reason: 'r' } },
      },
    ]);
    expect(VcpEvent.safeParse(operator.events[0]).success).toBe(true);
    expect(alice.events).toEqual([]);
  });

  it('stays in the log alone below info, and is in the log in any case', () => {
    const { logger, lines, operator } = open();
    logger.debug('a');
    logger.info('b');
    logger.error('c');
    expect(lines).toEqual(['debug a', 'info b', 'error c']);
    expect(operator.events).toHaveLength(2);
  });

  it('of a flood is counted', () => {
    const { test, logger, lines, operator } = open(3);
    for (let count = 0; count < 10; count += 1) logger.info('flood');
    expect(operator.events).toHaveLength(3);
    test.time += 1_000;
    logger.info('later');
    expect(operator.events.slice(3)).toMatchObject([
      { data: { level: 'warn', message: 'log.lines-not-pushed', details: { lines: 7 } } },
      { data: { message: 'later' } },
    ]);
    expect(lines).toHaveLength(11);
  });
});
