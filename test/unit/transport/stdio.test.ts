import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/ports/transport.ts';
import { createFrameReader } from '../../../src/transport/stdio/frame-reader.ts';
import { judgeOutcome, type StdioOutcome } from '../../../src/transport/stdio/judge-outcome.ts';

const LIMITS = { frameBytes: 1_000, jsonDepth: 8, jsonNodes: 200 };
const bytes = (text: string) => new TextEncoder().encode(text);
const frame = (payload: unknown) => JSON.stringify({ vcp: 'tool-result', version: '1.0', payload });

const read = (...chunks: (string | Uint8Array)[]) => {
  const reader = createFrameReader(LIMITS);
  const frames = chunks.flatMap((chunk) => reader.push(typeof chunk === 'string' ? bytes(chunk) : chunk));
  frames.push(...reader.end());
  return { payloads: frames.map((found) => found.payload), fault: reader.fault };
};

describe('the frames of stdout', () => {
  it.each<[string, string, unknown[]]>([
    ['one line', `${frame({ a: 1 })}\n`, [{ a: 1 }]],
    ['a last line without its break', frame({ a: 1 }), [{ a: 1 }]],
    ['several lines', `${frame(1)}\n${frame(2)}\n`, [1, 2]],
    ['Windows line ends', `${frame(1)}\r\n${frame(2)}\r\n`, [1, 2]],
    ['empty lines', `\n\r\n${frame(1)}\n\n`, [1]],
    ['one byte-order mark at the start', `\uFEFF${frame(1)}\n`, [1]],
    ['braces and quotes in strings', `${frame({ text: '}{"\\" ]}[{' })}\n`, [{ text: '}{"\\" ]}[{' }]],
    ['nothing', '', []],
    [
      'a payload as deep as it may be',
      `${frame(JSON.parse('['.repeat(8) + ']'.repeat(8)))}\n`,
      [JSON.parse('['.repeat(8) + ']'.repeat(8))],
    ],
  ])('may be %s', (_, text, payloads) => {
    expect(read(text)).toEqual({ payloads, fault: null });
  });

  it.each<[string, string, string]>([
    ['a log line', 'starting up\n', 'not-a-frame'],
    ['a log line before a frame', `starting\n${frame(1)}\n`, 'not-a-frame'],
    ['a bare payload', '{"status":"success"}\n', 'not-a-frame'],
    ['two frames in a line', `${frame(1)}${frame(2)}\n`, 'not-a-frame'],
    ['a frame over two lines', '{"vcp":"tool-result",\n"version":"1.0","payload":1}\n', 'not-a-frame'],
    ['a second byte-order mark', `\uFEFF\uFEFF${frame(1)}\n`, 'not-a-frame'],
    ['a byte-order mark later on', `${frame(1)}\n\uFEFF${frame(2)}\n`, 'not-a-frame'],
    ['another version', '{"vcp":"tool-result","version":"2.0","payload":1}\n', 'not-a-frame'],
    ['a __proto__', '{"vcp":"tool-result","version":"1.0","payload":{"__proto__":1}}\n', 'not-a-frame'],
    ['a depth bomb', `${'['.repeat(900)}\n`, 'not-a-frame'],
    ['a line that is too long', `${frame('x'.repeat(1_000))}\n`, 'too-large'],
    ['a line that is too long and never ends', 'x'.repeat(5_000), 'too-large'],
    ['a white space line', '   \n', 'not-a-frame'],
  ])('may not be %s', (_, text, kind) => {
    expect(read(text).fault?.kind).toBe(kind);
  });

  it.each([
    ['small', 600],
    ['of megabytes', 5_000_000],
  ])('may be %s and come in pieces whose memory is used again at once', (_, length) => {
    const reader = createFrameReader({ frameBytes: 6_000_000, jsonDepth: 8, jsonNodes: 200 });
    const lines = ['a', 'b', 'c'].map((letter) => frame(letter.repeat(length)));
    const source = bytes(`${lines.join('\n')}\n`);
    const memory = new Uint8Array(64_000);
    const payloads: unknown[] = [];
    for (let at = 0; at < source.length; at += 64_000) {
      const piece = source.subarray(at, at + 64_000);
      memory.set(piece);
      payloads.push(...reader.push(memory.subarray(0, piece.length)).map((found) => found.payload));
      memory.fill(0);
    }
    expect(reader.fault).toBeNull();
    expect(payloads).toEqual(['a', 'b', 'c'].map((letter) => letter.repeat(length)));
  });

  it('must be UTF-8', () => {
    expect(read(Uint8Array.of(0x7b, 0xff, 0xfe, 0x0a)).fault).toMatchObject({
      kind: 'invalid-utf8',
      message: 'stdout is not valid UTF-8',
    });
  });

  it('may be as long as the limit, and not one byte longer', () => {
    const padding = 1_000 - frame('').length;
    expect(read(`${frame('x'.repeat(padding))}\n`).fault).toBeNull();
    expect(read(`${frame('x'.repeat(padding + 1))}\n`).fault?.kind).toBe('too-large');
  });

  it('quote the first offending bytes, made printable and bounded', () => {
    expect(read('\u001b[31mred\u0007\n').fault?.excerpt).toBe('\uFFFD[31mred\uFFFD');
    const long = read(`${'y'.repeat(500)}\n`).fault?.excerpt ?? '';
    expect(long).toBe(`${'y'.repeat(80)}…`);
  });

  it('are dropped after the first fault, those before it are kept', () => {
    expect(read(`${frame(1)}\nnoise\n${frame(2)}\n`)).toMatchObject({ payloads: [1], fault: { excerpt: 'noise' } });
  });

  it('are the same when a character is cut in two', () => {
    const whole = bytes(`${frame({ text: '月球😀' })}\n`);
    for (let at = 0; at <= whole.length; at += 1) {
      expect(read(whole.subarray(0, at), whole.subarray(at))).toEqual({ payloads: [{ text: '月球😀' }], fault: null });
    }
  });
});

describe('the verdict on a process (§11.3)', () => {
  const SUCCESS = { status: 'success', data: null };
  const ERROR = { status: 'error', data: null, error: { code: 'FORBIDDEN', message: 'no' } };
  const fault = { kind: 'not-a-frame', message: 'stdout holds a line', excerpt: 'noise' } as const;
  const exit = (code: number | null, signal: string | null = null, lingered = false) => ({ code, signal, lingered });
  const judge = (outcome: Partial<StdioOutcome>) => {
    try {
      const { payload, warnings } = judgeOutcome({
        terminalPayloads: [],
        fault: null,
        exit: exit(0),
        stderrTail: '',
        ...outcome,
      });
      return [payload, ...warnings.map((warning) => warning.code)];
    } catch (error) {
      return error instanceof TransportError ? error.code : 'a bug';
    }
  };

  it.each<[string, Partial<StdioOutcome>, unknown]>([
    ['exit 0, one frame', { terminalPayloads: [SUCCESS] }, [SUCCESS]],
    ['exit 0, no frame', {}, 'INVALID_TOOL_RESULT'],
    ['exit 0, other output', { fault }, 'INVALID_TOOL_RESULT'],
    ['exit 0, a frame and other output', { terminalPayloads: [SUCCESS], fault }, 'INVALID_TOOL_RESULT'],
    ['exit 0, two frames', { terminalPayloads: [SUCCESS, SUCCESS] }, 'INVALID_TOOL_RESULT'],
    ['exit 3, two frames', { terminalPayloads: [ERROR, ERROR], exit: exit(3) }, 'INVALID_TOOL_RESULT'],
    ['exit 3, no frame', { exit: exit(3) }, 'TRANSPORT_FAILURE'],
    ['exit 3, other output', { exit: exit(3), fault }, 'TRANSPORT_FAILURE'],
    ['exit 3, an error', { terminalPayloads: [ERROR], exit: exit(3) }, [ERROR, 'NONZERO_EXIT']],
    [
      'exit 3, a cancelled call',
      { terminalPayloads: [{ ...ERROR, status: 'cancelled' }], exit: exit(3) },
      [{ ...ERROR, status: 'cancelled' }, 'NONZERO_EXIT'],
    ],
    ['exit 3, a success', { terminalPayloads: [SUCCESS], exit: exit(3) }, 'TRANSPORT_FAILURE'],
    [
      'exit 3, an error that is not legal',
      { terminalPayloads: [{ status: 'error' }], exit: exit(3) },
      'TRANSPORT_FAILURE',
    ],
    ['exit 3, an error and other output', { terminalPayloads: [ERROR], fault, exit: exit(3) }, 'TRANSPORT_FAILURE'],
    ['a signal, no frame', { exit: exit(null, 'SIGSEGV') }, 'TRANSPORT_FAILURE'],
    ['a signal, an error', { terminalPayloads: [ERROR], exit: exit(null, 'SIGSEGV') }, [ERROR, 'NONZERO_EXIT']],
    [
      'a frame, and it stayed',
      { terminalPayloads: [SUCCESS], exit: exit(null, 'SIGKILL', true) },
      [SUCCESS, 'PROCESS_LINGERED'],
    ],
    ['a frame that is too large, exit 0', { fault: { ...fault, kind: 'too-large' } }, 'INVALID_TOOL_RESULT'],
    [
      'a frame that is too large, exit 3',
      { fault: { ...fault, kind: 'too-large' }, exit: exit(3) },
      'INVALID_TOOL_RESULT',
    ],
  ])('%s', (_, outcome, expected) => {
    expect(judge(outcome)).toEqual(expected);
  });

  it('tells what was seen: exit, first offending output, the end of stderr', () => {
    const outcome = { terminalPayloads: [], fault, exit: exit(3), stderrTail: 'Traceback' };
    expect(() => judgeOutcome(outcome)).toThrow(
      expect.objectContaining({
        details: { exitCode: 3, signal: null, firstOffendingOutput: 'noise', stderr: 'Traceback' },
        retryable: false,
      }),
    );
  });
});
