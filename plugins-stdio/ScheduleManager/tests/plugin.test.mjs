import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ulid } from '../ulid.mjs';
import {
  call,
  invocationLine,
  list,
  pluginDirectory,
  startPlugin,
  startWorker,
  temporaryDirectory,
} from './support/run-plugin.mjs';

const readJson = (name) => JSON.parse(readFileSync(join(pluginDirectory, name), 'utf8'));
const addArguments = { command: 'AddSchedule', time: '2026-07-12T10:00:00+08:00', content: '项目会议 📅' };

/** Both modes have to answer alike. */
const modes = {
  oneshot: (_test, directory) => (args) => call(directory, args),
  worker: (t, directory) => startWorker(t, directory).call,
};

const contract = Object.entries(modes).flatMap(([mode, open]) =>
  readJson('contract-cases.json').cases.map((contractCase) => ({ ...contractCase, mode, open })),
);
for (const { mode, open, name, setup = [], arguments: args, expect } of contract) {
  test(`contract: ${name} (${mode})`, async (t) => {
    const run = open(t, temporaryDirectory(t));
    const saved = {};
    const fill = (values) => JSON.parse(JSON.stringify(values).replace(/\$\{(\w+)\}/g, (_, key) => saved[key]));
    for (const { arguments: setupArguments, save = {} } of setup) {
      const payload = await run(fill(setupArguments));
      for (const [key, pointer] of Object.entries(save)) {
        saved[key] = pointer
          .slice(1)
          .split('/')
          .reduce((value, part) => value[part], payload);
      }
    }
    const payload = await run(fill(args));
    assert.equal(payload.status, expect.status);
    if (expect.status === 'success') return assert.partialDeepStrictEqual(payload.data, expect.data);
    assert.equal(payload.error.code, expect.errorCode);
    assert.equal(payload.error.target, expect.target);
    const { errorCodes } = readJson('plugin-manifest.json').capabilities.invocationCommands.find(
      ({ commandIdentifier }) => commandIdentifier === args.command,
    );
    assert.ok(errorCodes.includes(payload.error.code), `${payload.error.code} is not declared`);
  });
}

test('every command has a success, an argument-error and an edge case', () => {
  const { cases } = readJson('contract-cases.json');
  const kinds = Map.groupBy(cases, (contractCase) => contractCase.arguments.command);
  for (const { commandIdentifier } of readJson('plugin-manifest.json').capabilities.invocationCommands) {
    const found = new Set(kinds.get(commandIdentifier).map(({ kind }) => kind));
    assert.deepEqual([...found].toSorted(), ['argument-error', 'edge', 'success'], commandIdentifier);
  }
});

test('prints exactly one line, the frame, and nothing on stderr', async (t) => {
  const { child, done } = startPlugin(temporaryDirectory(t));
  child.stdin.end(invocationLine(addArguments));
  const { exitCode, lines, stdout, stderr } = await done;
  assert.equal(exitCode, 0);
  assert.equal(stderr, '');
  assert.equal(stdout, `${lines[0]}\n`);
  const frame = JSON.parse(lines[0]);
  assert.deepEqual(Object.keys(frame), ['vcp', 'version', 'payload']);
  assert.match(frame.payload.data.schedule.id, /^sch_[0-9A-HJKMNP-TV-Z]{26}$/);
});

test('answers a line that arrives byte by byte, while stdin stays open', async (t) => {
  const { child, done } = startPlugin(temporaryDirectory(t));
  for (const byte of Buffer.from(invocationLine(addArguments))) child.stdin.write(Buffer.from([byte]));
  assert.equal((await done).payload.data.schedule.content, '项目会议 📅');
});

test('a bad time says what was expected and what came', async (t) => {
  const { error } = await call(temporaryDirectory(t), { ...addArguments, time: '2026-02-30T10:00:00Z' });
  assert.deepEqual(error, {
    code: 'INVALID_ARGUMENT',
    message:
      '"time" is not an RFC 3339 date-time: February 2026 has no day 30. Write it like 2026-07-12T10:00:00+08:00.',
    retryable: false,
    target: 'time',
    details: { expected: 'RFC 3339', example: '2026-07-12T10:00:00+08:00', received: '2026-02-30T10:00:00Z' },
  });
});

test('repeats no more than the beginning of a long argument', async (t) => {
  const { error } = await call(temporaryDirectory(t), { ...addArguments, time: '9'.repeat(100_000) });
  assert.equal(error.details.received, `${'9'.repeat(100)}…`);
});

/** @type {[object, string, string][]} */
const refused = [
  [{ ...addArguments, time: undefined }, 'MISSING_ARGUMENT', 'time'],
  [{ ...addArguments, time: 5 }, 'INVALID_ARGUMENT', 'time'],
  [{ ...addArguments, content: undefined }, 'MISSING_ARGUMENT', 'content'],
  [{ ...addArguments, content: ['x'] }, 'INVALID_ARGUMENT', 'content'],
  [{ ...addArguments, content: '📅'.repeat(2_001) }, 'INVALID_ARGUMENT', 'content'],
  [{ ...addArguments, content: 'half \ud83d' }, 'INVALID_ARGUMENT', 'content'],
  [{ ...addArguments, place: 'x' }, 'INVALID_ARGUMENT', 'place'],
  [{ command: 'DeleteSchedule' }, 'MISSING_ARGUMENT', 'id'],
  [{ command: 'ListSchedules', until: null }, 'INVALID_ARGUMENT', 'until'],
  [{ command: 'constructor' }, 'UNKNOWN_COMMAND', 'command'],
];
for (const [args, code, target] of refused) {
  test(`refuses ${JSON.stringify(args).slice(0, 120)} with ${code}`, async (t) => {
    const directory = temporaryDirectory(t);
    const { error } = await call(directory, args);
    assert.equal(error.code, code);
    assert.equal(error.target, target);
    assert.equal((await list(directory)).data.total, 0);
  });
}

test('counts characters, not UTF-16 units', async (t) => {
  assert.equal((await call(temporaryDirectory(t), { ...addArguments, content: '📅'.repeat(2_000) })).status, 'success');
});

test('ends silently when stdin ends without a line: the process waited in reserve', async (t) => {
  const { child, done } = startPlugin(temporaryDirectory(t));
  child.stdin.end();
  const { exitCode, stdout, stderr } = await done;
  assert.deepEqual([exitCode, stdout, stderr], [0, '', '']);
});

for (const [name, line] of Object.entries({
  'no JSON': 'AddSchedule\n',
  'another frame': '{"vcp":"cancel","version":"1.0"}\n',
  'a frame without arguments': '{"vcp":"tool-invocation","version":"1.0","payload":{"command":"ListSchedules"}}\n',
})) {
  test(`fails without a frame, with a reason on stderr, when stdin holds ${name}`, async (t) => {
    const { child, done } = startPlugin(temporaryDirectory(t));
    child.stdin.end(line);
    const { exitCode, stdout, stderr } = await done;
    assert.equal(exitCode, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /stdin|tool-invocation/);
  });
}

test('a ULID holds its time, sorts by it and does not repeat', () => {
  assert.equal(ulid(1_469_918_176_385).slice(0, 10), '01ARYZ6S41');
  assert.ok(ulid(1) < ulid(2));
  assert.equal(new Set(Array.from({ length: 1_000 }, () => ulid(5))).size, 1_000);
});
