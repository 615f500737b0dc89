// §11.3: what a process printed and how it ended decide together. Every row is a real process.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  closeUnharmed,
  detailsOf,
  ECHO,
  INVALID_RESULT,
  SUCCESS,
  TRANSPORT_FAILURE,
  verdictOf,
  warningCodes,
} from '../../support/call-expectations.ts';
import { openNodeRuntime, type NodeRuntime } from '../../support/node-runtime.ts';

const FRAME = '{"vcp":"tool-result","version":"1.0","payload":{"status":"success","data":{"n":1}}}';
const ERROR_FRAME =
  '{"vcp":"tool-result","version":"1.0","payload":{"status":"error","data":null,"error":{"code":"DEPENDENCY_UNAVAILABLE","message":"the service is down","details":{"host":"db"},"retryable":true}}}';
const CANCELLED_FRAME =
  '{"vcp":"tool-result","version":"1.0","payload":{"status":"cancelled","data":null,"error":{"code":"TOOL_CANCELLED","message":"stopped by hand"}}}';
const REPORTED = { status: 'error', code: 'DEPENDENCY_UNAVAILABLE', category: 'dependency' };

type Row = {
  readonly what: string;
  /** Text for printf, so `\n` and octal escapes work. */
  readonly prints: string;
  readonly exits?: number;
  readonly verdict: unknown;
  readonly data?: unknown;
  readonly details?: object;
  readonly message?: RegExp;
  readonly warnings?: readonly string[];
};

const nested = (levels: number) =>
  `{"vcp":"tool-result","version":"1.0","payload":{"status":"success","data":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
const withData = (json: string) =>
  `{"vcp":"tool-result","version":"1.0","payload":{"status":"success","data":${json}}}`;

const rows: readonly Row[] = [
  // The frame, however it is laid out.
  { what: 'a frame and a line break', prints: `${FRAME}\\n`, verdict: SUCCESS, data: { n: 1 } },
  { what: 'a frame without a line break', prints: FRAME, verdict: SUCCESS, data: { n: 1 } },
  { what: 'a byte-order mark first', prints: `\\357\\273\\277${FRAME}\\n`, verdict: SUCCESS, data: { n: 1 } },
  { what: 'CRLF', prints: `${FRAME}\\r\\n`, verdict: SUCCESS, data: { n: 1 } },
  { what: 'empty lines around it', prints: `\\n\\r\\n${FRAME}\\n\\n`, verdict: SUCCESS, data: { n: 1 } },
  {
    what: 'a mark, CRLF and no line break at the end',
    prints: `\\357\\273\\277\\r\\n${FRAME}\\r`,
    verdict: SUCCESS,
    data: { n: 1 },
  },
  {
    what: 'braces, quotes and line breaks in strings',
    prints: withData('"}{\\\\"}]\\\\n{"'),
    verdict: SUCCESS,
    data: '}{"}]\n{',
  },
  { what: 'an error frame', prints: ERROR_FRAME, verdict: REPORTED, details: { host: 'db' } },
  { what: 'data at the depth that is allowed', prints: nested(64), verdict: SUCCESS },
  // Anything but frames on stdout.
  {
    what: 'a banner before the frame',
    prints: `MyPlugin 1.0 ready\\n${FRAME}\\n`,
    verdict: INVALID_RESULT,
    details: { firstOffendingOutput: 'MyPlugin 1.0 ready', exitCode: 0 },
  },
  {
    what: 'a word after the frame',
    prints: `${FRAME}\\nbye\\n`,
    verdict: INVALID_RESULT,
    details: { firstOffendingOutput: 'bye' },
  },
  { what: 'a second byte-order mark', prints: `\\357\\273\\277\\357\\273\\277${FRAME}`, verdict: INVALID_RESULT },
  { what: 'two frames in one line', prints: `${FRAME}${FRAME}\\n`, verdict: INVALID_RESULT },
  { what: 'JSON that is no frame', prints: '{"status":"success","result":"old style"}\\n', verdict: INVALID_RESULT },
  { what: 'a bare payload', prints: '{"status":"success","data":1}\\n', verdict: INVALID_RESULT },
  { what: 'a frame of another version', prints: FRAME.replace('1.0', '2.0'), verdict: INVALID_RESULT },
  {
    what: 'a frame with a field of its own',
    prints: FRAME.replace('"payload"', '"extra":1,"payload"'),
    verdict: INVALID_RESULT,
  },
  { what: 'an invocation frame', prints: FRAME.replace('tool-result', 'tool-invocation'), verdict: INVALID_RESULT },
  { what: 'half a frame', prints: FRAME.slice(0, 40), verdict: INVALID_RESULT },
  { what: 'nothing', prints: '', verdict: INVALID_RESULT, details: { exitCode: 0 } },
  { what: 'only empty lines', prints: '\\n\\n', verdict: INVALID_RESULT },
  { what: 'bytes that are not UTF-8', prints: withData('"\\377\\376"'), verdict: INVALID_RESULT, message: /UTF-8/ },
  {
    what: 'a surrogate written as UTF-8',
    prints: withData('"\\355\\240\\200"'),
    verdict: INVALID_RESULT,
    message: /UTF-8/,
  },
  {
    what: 'a lone surrogate as an escape',
    prints: withData('"\\\\ud800"'),
    verdict: INVALID_RESULT,
    message: /\/payload\/data/,
  },
  {
    what: 'two terminal frames',
    prints: `${FRAME}\\n${ERROR_FRAME}\\n`,
    verdict: INVALID_RESULT,
    message: /more than one/,
  },
  {
    what: 'two terminal frames and exit 3',
    prints: `${FRAME}\\n${FRAME}\\n`,
    exits: 3,
    verdict: INVALID_RESULT,
    message: /more than one/,
  },
  { what: 'data one level too deep', prints: nested(65), verdict: INVALID_RESULT, message: /deeper/ },
  { what: 'a thousand levels', prints: nested(1_000), verdict: INVALID_RESULT, message: /deeper/ },
  {
    what: 'a key named __proto__',
    prints: withData('{"a":{"__proto__":{"admin":true}}}'),
    verdict: INVALID_RESULT,
    message: /\/payload\/data\/a\/__proto__/,
  },
  // The frame is one, its payload is not.
  {
    what: 'a payload that is null',
    prints: FRAME.replace('{"status":"success","data":{"n":1}}', 'null'),
    verdict: INVALID_RESULT,
  },
  {
    what: 'a payload without a status',
    prints: FRAME.replace('"status":"success",', ''),
    verdict: INVALID_RESULT,
    details: { pointer: '/status' },
  },
  {
    what: 'a success with an error',
    prints: FRAME.replace('"data"', '"error":{"code":"INTERNAL_ERROR","message":"x"},"data"'),
    verdict: INVALID_RESULT,
    details: { pointer: '/error' },
  },
  {
    what: 'a payload that forges its execution',
    prints: FRAME.replace('"data"', '"execution":{},"data"'),
    verdict: INVALID_RESULT,
    details: { pointer: '/execution' },
  },
  {
    what: 'a payload that says it timed out',
    prints: ERROR_FRAME.replace('"error","data"', '"timeout","data"'),
    verdict: INVALID_RESULT,
  },
  {
    what: 'accepted, though the command is not asynchronous',
    prints: FRAME.replace(
      '"success","data":{"n":1}',
      '"accepted","data":null,"task":{"id":"task_01ARZ3NDEKTSV4RRFFQ69G5FAV","state":"queued"}',
    ),
    verdict: INVALID_RESULT,
  },
  // Exit codes.
  {
    what: 'exit 3 with an error frame',
    prints: `${ERROR_FRAME}\\n`,
    exits: 3,
    verdict: REPORTED,
    details: { host: 'db' },
    warnings: ['NONZERO_EXIT'],
  },
  {
    what: 'exit 3 with a cancelled frame',
    prints: `${CANCELLED_FRAME}\\n`,
    exits: 3,
    verdict: { status: 'cancelled', code: 'TOOL_CANCELLED', category: 'cancelled' },
    warnings: ['NONZERO_EXIT'],
  },
  {
    what: 'exit 3 with a success frame',
    prints: `${FRAME}\\n`,
    exits: 3,
    verdict: TRANSPORT_FAILURE,
    details: { exitCode: 3 },
  },
  {
    what: 'exit 3 without a frame',
    prints: '',
    exits: 3,
    verdict: TRANSPORT_FAILURE,
    details: { exitCode: 3, signal: null },
  },
  {
    what: 'exit 3 with junk',
    prints: 'Traceback\\n',
    exits: 3,
    verdict: TRANSPORT_FAILURE,
    details: { exitCode: 3, firstOffendingOutput: 'Traceback' },
  },
  {
    what: 'exit 3 with junk and an error frame',
    prints: `junk\\n${ERROR_FRAME}\\n`,
    exits: 3,
    verdict: TRANSPORT_FAILURE,
  },
  {
    what: 'exit 3 with an error frame that is not legal',
    prints: ERROR_FRAME.replace('"message":"the service is down",', ''),
    exits: 3,
    verdict: TRANSPORT_FAILURE,
  },
  {
    what: 'exit 255 with bytes that are not UTF-8',
    prints: '\\377',
    exits: 255,
    verdict: TRANSPORT_FAILURE,
    details: { exitCode: 255 },
  },
];

let host: NodeRuntime;
beforeAll(async () => {
  const cases = rows.map(({ prints, exits = 0 }, index) => ({
    name: `Case${index}`,
    command: './print.sh',
    args: [prints, String(exits)],
  }));
  host = await openNodeRuntime([ECHO, ...cases]);
});
afterAll(async () => {
  await closeUnharmed(host);
});

describe('what a process printed and how it ended', () => {
  it.each(rows.map((row, index) => ({ ...row, index })))(
    '$what',
    async ({ index, verdict, data, details, message, warnings = [] }) => {
      const result = await host.call(`Case${index}`);
      expect(verdictOf(result)).toEqual(verdict);
      if (data !== undefined) expect(result.data).toEqual(data);
      if (details !== undefined) expect(detailsOf(result)).toMatchObject(details);
      if (message !== undefined) expect(result.error?.message).toMatch(message);
      expect(warningCodes(result)).toEqual(warnings);
    },
  );
});
