import { describe, expect, it } from 'vitest';
import { createTickets } from '../../../src/server/push/tickets.ts';

const credential = { key: 'k', isTicket: false, ask: () => null };
const of = (key: string) => ({ ...credential, key });
const open = (most = 30) => {
  const test = { time: 1_000 };
  const clock = { now: () => test.time, monotonic: () => test.time };
  return Object.assign(test, { tickets: createTickets(clock, { ticketMs: 60_000, tickets: most }) });
};

describe('a ticket', () => {
  it('stands for its key once', () => {
    const { tickets } = open();
    const { ticket, expiresAt } = tickets.issue(credential)!;
    expect(ticket).toMatch(/^vcpt_[\w-]{43}$/);
    expect(expiresAt).toBe('1970-01-01T00:01:01.000Z');
    expect(tickets.redeem(ticket)).toEqual({ ...credential, isTicket: true });
    expect(tickets.redeem(ticket)).toBeNull();
  });

  it('opens nothing after its minute, and none opens anything that was made up', () => {
    const test = open();
    const { ticket } = test.tickets.issue(credential)!;
    test.time += 60_000;
    expect([test.tickets.redeem(ticket), test.tickets.redeem(''), test.tickets.redeem('vcpt_')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('is not given when too many are out, until they expire', () => {
    const test = open(2);
    test.tickets.issue(of('a'));
    test.tickets.issue(of('b'));
    expect(test.tickets.issue(of('c'))).toBeNull();
    test.time += 60_000;
    expect(test.tickets.issue(of('c'))).not.toBeNull();
  });

  it('is not given to a key that has a tenth of all that may be out, until it uses one or they expire', () => {
    const test = open(20);
    const first = test.tickets.issue(of('a'))!;
    expect(test.tickets.issue(of('a'))).not.toBeNull();
    expect(test.tickets.issue(of('a'))).toBeNull();
    expect(test.tickets.issue(of('b'))).not.toBeNull();
    test.tickets.redeem(first.ticket);
    test.tickets.redeem(first.ticket);
    expect([test.tickets.issue(of('a')), test.tickets.issue(of('a'))]).toEqual([expect.anything(), null]);
    test.time += 60_000;
    expect(test.tickets.issue(of('a'))).not.toBeNull();
  });

  it('is another one each time', () => {
    const { tickets } = open(1_000);
    const all = Array.from({ length: 100 }, () => tickets.issue(credential)!.ticket);
    expect(new Set(all).size).toBe(100);
  });
});
