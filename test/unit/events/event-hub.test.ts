import { describe, expect, it } from 'vitest';
import { VcpEvent } from '../../../src/protocol/event.ts';
import { createTestHub, everyone, listen, message, numberOf, ofAlice } from '../../support/event-hub.ts';

describe('an event', () => {
  it('gets an id and a time, and names every id that joins it with a call', () => {
    const { hub } = createTestHub();
    const { events } = listen(hub);
    hub.emit(message({ a: 1 }), everyone);
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9A-Z]{26}$/),
        type: 'plugin_message',
        time: '1970-01-01T00:16:40.000Z',
        invocationId: null,
        requestId: null,
        resultId: null,
        recordId: null,
        taskId: null,
        approvalId: null,
        scheduleId: null,
        toolName: 'Sample',
        data: { plugin: 'Sample', name: 'n', message: { a: 1 } },
      },
    ]);
    expect(VcpEvent.safeParse(events[0]).success).toBe(true);
  });

  it('has a later id than the one before, also when the clock goes back', () => {
    const test = createTestHub();
    const { events } = listen(test.hub);
    test.emit(1);
    test.time -= 500;
    test.emit(2);
    test.emit(3);
    const ids = events.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(3);
  });

  it('that cannot be written does no harm to whoever emits it', () => {
    const test = createTestHub();
    const listener = listen(test.hub);
    test.hub.emit(message({ big: 1n }), everyone);
    test.emit(2);
    expect(listener.numbers()).toEqual([2]);
    expect(test.faults).toEqual(['events.not-emitted']);
  });
});

describe('who hears of an event', () => {
  const heard = (address: Parameters<ReturnType<typeof createTestHub>['emit']>[1], viewer: object) => {
    const test = createTestHub();
    const listener = listen(test.hub, { viewer });
    test.emit(1, address);
    return listener.events.length === 1;
  };
  const bob = { id: 'bob' };
  const operator = { id: 'op', seesEverything: true };
  const only = (tool: string) => ({ id: 'carl', mayUseTool: (name: string) => name === tool });

  it.each([
    ['its owner', ofAlice, {}, true],
    ['nobody else', ofAlice, bob, false],
    ['an operator', ofAlice, operator, true],
    ['all, when it is for everyone', everyone, bob, true],
    ['operators alone', { audience: { to: 'operators' } }, bob, false],
    ['operators', { audience: { to: 'operators' } }, operator, true],
    ['keys that may use the tool', { audience: { to: 'everyone', tool: 'A' } }, only('A'), true],
    ['no keys that may not', { audience: { to: 'everyone', tool: 'A' } }, only('B'), false],
    ['clients of the type it is for', { ...everyone, clientType: 'panel' }, { clientType: 'panel' }, true],
    ['no clients of another type', { ...everyone, clientType: 'panel' }, { clientType: 'phone' }, false],
    ['no clients without a type', { ...everyone, clientType: 'panel' }, {}, false],
    ['no operator of another type', { ...everyone, clientType: 'panel' }, operator, false],
    ['clients of any type', everyone, { clientType: 'phone' }, true],
  ] as const)('%s', (_, address, viewer, expected) => {
    expect(heard(address, viewer)).toBe(expected);
  });

  it('follows a change of the key at once', () => {
    const test = createTestHub();
    const listener = listen(test.hub, { viewer: { id: 'bob' } });
    test.emit(1, ofAlice);
    listener.subscription.setViewer({ id: 'bob', seesEverything: true, clientType: null, mayUseTool: () => true });
    test.emit(2, ofAlice);
    expect(listener.numbers()).toEqual([2]);
  });
});

describe('a filter', () => {
  it('lets through what is in all of its lists', () => {
    const { hub } = createTestHub();
    const { events } = listen(hub, { filter: { types: ['plugin_message'], tools: ['A', 'B'] } });
    hub.emit(message({}, 'A'), everyone);
    hub.emit(message({}, 'C'), everyone);
    hub.emit({ type: 'vcp_info', toolName: 'A', stage: null, progress: 1, message: null }, everyone);
    expect(events.map(({ type, toolName }) => [type, toolName])).toEqual([['plugin_message', 'A']]);
  });

  it('knows calls and tasks by their ids', () => {
    const { hub } = createTestHub();
    const byCall = listen(hub, { filter: { invocations: ['ti_1'] } });
    const byTask = listen(hub, { filter: { tasks: ['task_1'] } });
    const info = { type: 'vcp_info', stage: null, progress: null, message: null } as const;
    hub.emit({ ...info, invocationId: 'ti_1' }, everyone);
    hub.emit({ ...info, taskId: 'task_1' }, everyone);
    expect([byCall.events.length, byTask.events.length]).toEqual([1, 1]);
    expect(byTask.events[0]?.taskId).toBe('task_1');
  });
});

describe('what is said in an event', () => {
  const secret = 'sk-abcdefghijklmnopqrstuvwx at /srv/vcp/plugins and 192.168.3.4';
  const hidden = '[redacted: secret] at [redacted: local path] and [redacted: private address]';

  it('is redacted for those who may not see all, and whole for operators', () => {
    const { hub } = createTestHub();
    const user = listen(hub);
    const operator = listen(hub, { viewer: { seesEverything: true } });
    hub.emit({ type: 'vcp_info', stage: null, progress: null, message: secret }, everyone);
    hub.emit(message({ deep: [{ text: secret }], apiKey: 'abc' }), everyone);
    expect(user.events).toMatchObject([
      { message: hidden },
      { data: { message: { deep: [{ text: hidden }], apiKey: '[redacted: secret]' } } },
    ]);
    expect(operator.events).toMatchObject([{ message: secret }, { data: { message: { apiKey: 'abc' } } }]);
  });

  it('keeps the paths that its owner named, and never secrets', () => {
    const { hub } = createTestHub();
    const { events } = listen(hub);
    const given = new Set(['/home/alice/a.txt', 'sk-abcdefghijklmnopqrstuvwx']);
    hub.emit(message({ text: '/home/alice/a.txt /home/bob/b.txt sk-abcdefghijklmnopqrstuvwx' }), { ...ofAlice, given });
    expect(events).toMatchObject([
      { data: { message: { text: '/home/alice/a.txt [redacted: local path] [redacted: secret]' } } },
    ]);
  });

  it('is not shown at all when it cannot be looked through', () => {
    const { hub } = createTestHub();
    const { events } = listen(hub);
    let deep: object = {};
    for (let level = 0; level < 5_000; level += 1) deep = { a: deep };
    hub.emit(message({ deep, secret }), everyone);
    const text = JSON.stringify(events);
    expect(text).not.toContain('sk-abc');
  });
});

describe('coming back', () => {
  it('goes on after the event that was heard last', () => {
    const test = createTestHub();
    const first = listen(test.hub);
    for (const number of [1, 2, 3, 4]) test.emit(number);
    const again = listen(test.hub, { lastEventId: first.events[1]!.id });
    test.emit(5);
    expect(again.numbers()).toEqual([3, 4, 5]);
    expect(again.gaps).toEqual([]);
  });

  it('begins with the next event when nothing was heard before', () => {
    const test = createTestHub();
    test.emit(1);
    const listener = listen(test.hub);
    test.emit(2);
    expect(listener.numbers()).toEqual([2]);
  });

  it('says that events are missing, and gives what is left', () => {
    const test = createTestHub({ keptEvents: 3 });
    const first = listen(test.hub);
    for (const number of [1, 2, 3, 4, 5]) test.emit(number);
    const again = listen(test.hub, { lastEventId: first.events[0]!.id });
    expect(again.numbers()).toEqual([3, 4, 5]);
    expect(again.gaps).toEqual([{ type: 'gap', lastEventId: first.events[0]!.id, oldestEventId: first.events[2]!.id }]);
  });

  it('says nothing of a gap when the oldest event that is kept comes next', () => {
    const test = createTestHub({ keptEvents: 3 });
    const first = listen(test.hub);
    for (const number of [1, 2, 3, 4, 5]) test.emit(number);
    const again = listen(test.hub, { lastEventId: first.events[1]!.id });
    expect([again.numbers(), again.gaps]).toEqual([[3, 4, 5], []]);
  });

  it.each([
    ['from before this server started', 'evt_00000000000000000000000000'],
    ['from a server whose clock is ahead', 'evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ'],
  ])('says that events may be missing after an id %s', (_, lastEventId) => {
    const test = createTestHub();
    const listener = listen(test.hub, { lastEventId });
    expect(listener.gaps).toEqual([{ type: 'gap', lastEventId, oldestEventId: null }]);
    test.emit(1);
    expect(listener.numbers()).toEqual([1]);
  });

  it('tells a position that also counts events that were not for this client', () => {
    const test = createTestHub({ keptEvents: 2 });
    const listener = listen(test.hub, { viewer: { id: 'bob' } });
    for (const number of [1, 2, 3, 4]) test.emit(number, ofAlice);
    const again = listen(test.hub, { viewer: { id: 'bob' }, lastEventId: listener.subscription.position() });
    expect(again.gaps).toEqual([]);
  });
});

describe('what is kept', () => {
  const keptAfter = (limits: object, numbers: readonly number[], wait = 0) => {
    const test = createTestHub(limits);
    const from = test.hub.lastEventId();
    for (const number of numbers) test.emit(number);
    test.time += wait;
    return listen(test.hub, { lastEventId: from }).numbers();
  };

  it('is bounded by number', () => expect(keptAfter({ keptEvents: 2 }, [1, 2, 3])).toEqual([2, 3]));
  it('is bounded by bytes', () => expect(keptAfter({ keptEventBytes: 700 }, [1, 2, 3])).toEqual([2, 3]));
  it('is bounded by age', () => expect(keptAfter({ keptEventMs: 100 }, [1, 2], 101)).toEqual([]));
  it('is there until then', () => expect(keptAfter({ keptEventMs: 100 }, [1, 2], 100)).toEqual([1, 2]));
  it('has the newest event, however large it is', () => expect(keptAfter({ keptEventBytes: 1 }, [1, 2])).toEqual([2]));

  it('is right after many events', () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => index);
    expect(keptAfter({ keptEvents: 5 }, numbers)).toEqual([9_995, 9_996, 9_997, 9_998, 9_999]);
  });
});

describe('a slow client', () => {
  it('gets what waited for it when it has room again', () => {
    const test = createTestHub();
    const slow = listen(test.hub, { room: 1 });
    for (const number of [1, 2, 3]) test.emit(number);
    expect(slow.numbers()).toEqual([1]);
    slow.room = 5;
    slow.subscription.resume();
    expect(slow.numbers()).toEqual([1, 2, 3]);
  });

  it('that falls behind what is kept is ended, and the others lose nothing', () => {
    const test = createTestHub({ keptEvents: 10 });
    const slow = listen(test.hub, { room: 2 });
    const healthy = listen(test.hub);
    for (let number = 1; number <= 100; number += 1) test.emit(number);
    expect(slow.wasOvertaken).toBe(true);
    expect(healthy.numbers()).toHaveLength(100);
    slow.room = 10;
    slow.subscription.resume();
    expect(slow.numbers()).toEqual([1, 2]);
  });

  it('that has ended gets nothing any more', () => {
    const test = createTestHub();
    const listener = listen(test.hub, { room: 0 });
    test.emit(1);
    listener.subscription.end();
    listener.room = 5;
    listener.subscription.resume();
    test.emit(2);
    expect(listener.numbers()).toEqual([]);
  });
});

describe('a receiver that fails', () => {
  it('is ended, and the others go on', () => {
    const test = createTestHub();
    const broken = {
      isReady: () => true,
      take: () => {
        throw new Error('broken');
      },
      gap: () => undefined,
      overtaken: () => undefined,
    };
    const viewer = { id: 'x', seesEverything: true, clientType: null, mayUseTool: () => true };
    test.hub.subscribe({ viewer, filter: {} }, broken);
    const listener = listen(test.hub);
    test.emit(1);
    test.emit(2);
    expect(listener.numbers()).toEqual([1, 2]);
    expect(test.faults).toEqual(['events.not-delivered']);
  });

  it('that emits an event itself keeps the order for all', () => {
    const test = createTestHub();
    const first: number[] = [];
    const viewer = { id: 'x', seesEverything: true, clientType: null, mayUseTool: () => true };
    test.hub.subscribe(
      { viewer, filter: {} },
      {
        isReady: () => true,
        take: (_, event) => {
          const number = numberOf(event);
          first.push(number);
          if (number === 1) test.emit(2);
        },
        gap: () => undefined,
        overtaken: () => undefined,
      },
    );
    const second = listen(test.hub);
    test.emit(1);
    expect([first, second.numbers()]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });
});
