// Small pieces of the command line whose faults would be hard to see from outside.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { callLine } from '../../../adapters/node/cli/call/call-line.ts';
import { describeType } from '../../../adapters/node/cli/describe-schema.ts';
import { coloured, escapedJson } from '../../../adapters/node/cli/json-output.ts';
import { instantOf } from '../../../adapters/node/cli/records.ts';
import { saveFile } from '../../../adapters/node/cli/save-file.ts';
import { plainFileName } from '../../../src/lib/plain-file-name.ts';
import { explain } from '../../../adapters/node/cli/exit.ts';
import { listedSchedules } from '../../../adapters/node/cli/listed-schedules.ts';
import { missingKinds } from '../../../adapters/node/plugin-check/missing-kinds.ts';
import { VcpProblem } from '../../../src/client/vcp-client.ts';
import type { Schedule } from '../../../src/protocol/schedule.ts';
import type { CommandDescription } from '../../../src/protocol/tool-description.ts';
import { cutTo, padded, printable, table, wrapped } from '../../../adapters/node/cli/terminal.ts';
import type { JsonValue } from '../../../src/protocol/json.ts';
import { repositoryRoot } from '../../support/manifest.ts';

const directory = mkdtempSync(join(tmpdir(), 'vcp-test-cli-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('a file name from a server', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['/etc/cron.d/x', 'x'],
    ['..', 'resource'],
    ['', 'resource'],
    ['dir/', 'resource'],
    ['.bashrc', 'bashrc'],
    ['a\u0000b\u001B[2Jc', 'a_b_[2Jc'],
    ['ab\u202Egpj.exe', 'ab_gpj.exe'],
    ['a:b*c?.txt', 'a_b_c_.txt'],
    ['CON.txt', '_CON.txt'],
    ['图 表.png', '图 表.png'],
    ['👩‍🚀.png', '👩‍🚀.png'],
    [`${'长'.repeat(296)}.png`, `${'长'.repeat(65)}.png`],
    ['😀'.repeat(150), '😀'.repeat(50)],
    ['a\ud83d.txt', 'a\ufffd.txt'],
  ])('%j becomes %j', (given, plain) => {
    expect(plainFileName(given)).toBe(plain);
  });
});

describe('a fault that the server tells of', () => {
  const told = (detail: string, errors: { pointer: string; detail: string }[]) =>
    explain(
      new VcpProblem({ type: 'urn:x', title: 'Bad Request', status: 400, code: 'INVALID_REQUEST', detail, errors }),
    );

  it('is told once', () => {
    const place = { pointer: '/expiresInMs', detail: 'must be at most 24h' };
    const detail = 'the body is not valid: /expiresInMs must be at most 24h';
    expect(told(detail, [place])).toBe(detail);
    const missing = ['/a', '/b'].map((pointer) => ({ pointer, detail: 'is required' }));
    expect(told('2 fields are not valid: /a is required', missing)).toBe(
      '2 fields are not valid: /a is required\n  /b: is required',
    );
  });
});

describe('a list of schedules', () => {
  it('shows when each is due and what it is for, in 80 columns too', () => {
    const schedule = {
      id: 'sch_01ARZ3NDEKTSV4RRFFQ69G5FAV',
      state: 'active',
      nextRunAt: '2026-12-01T08:30:00.000Z',
      tool: 'Calculator',
      at: null,
      cron: '30 9 * * MON-FRI',
      timeZone: 'Europe/Berlin',
      label: 'daily\u001b[2J report',
    } as unknown as Schedule;
    const once = { ...schedule, at: '2026-12-01T08:30:00.000Z', label: null };
    expect(listedSchedules([schedule, once], 80, (_, text) => text)).toBe(
      [
        'ID                              STATE   NEXT RUN              TOOL',
        'sch_01ARZ3NDEKTSV4RRFFQ69G5FAV  active  2026-12-01T08:30:00Z  Calculator',
        '  30 9 * * MON-FRI (Europe/Berlin) · daily report',
        'sch_01ARZ3NDEKTSV4RRFFQ69G5FAV  active  2026-12-01T08:30:00Z  Calculator',
        '  2026-12-01T08:30:00.000Z',
        '',
      ].join('\n'),
    );
  });
});

describe('a command without a contract case', () => {
  const kindsOf = (inputSchema: JsonValue) => {
    const commands = [{ commandIdentifier: 'Run', inputSchema } as CommandDescription];
    return missingKinds({ commands, commandField: 'command' }, []);
  };

  it('needs one for wrong arguments only where it takes any', () => {
    expect(kindsOf({ type: 'object', properties: { command: { const: 'Run' } }, additionalProperties: false })).toEqual(
      ['Run has no contract case of kind "success"', 'Run has no contract case of kind "edge"'],
    );
    for (const schema of [{ properties: { a: true } }, { additionalProperties: { type: 'string' } }, { anyOf: [{}] }])
      expect(kindsOf(schema)).toContain('Run has no contract case of kind "argument-error"');
  });
});

describe('a saved file', () => {
  const hashOfAbc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  const content = (text: string, sha256: string | null = null) => ({
    body: new Response(text).body!,
    contentType: 'text/plain',
    contentDisposition: '',
    sha256,
  });

  it('replaces nothing and follows no link', async () => {
    const target = join(directory, 'target.txt');
    symlinkSync(target, join(directory, 'a.txt'));
    writeFileSync(join(directory, 'a (1).txt'), 'mine');
    expect(await saveFile(directory, 'a.txt', content('abc', hashOfAbc))).toBe(join(directory, 'a (2).txt'));
    expect(readFileSync(join(directory, 'a (1).txt'), 'utf8')).toBe('mine');
    expect(readFileSync(join(directory, 'a (2).txt'), 'utf8')).toBe('abc');
    expect(readdirSync(directory)).not.toContain('target.txt');
  });

  it('is removed when its hash is another', async () => {
    await expect(saveFile(directory, 'b.txt', content('abd', hashOfAbc))).rejects.toThrow(
      'did not arrive as it was stored',
    );
    expect(readdirSync(directory)).not.toContain('b.txt');
  });

  it('is removed when the connection breaks off', async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('broken')),
    });
    await expect(saveFile(directory, 'c.txt', { ...content(''), body })).rejects.toThrow('broke off');
    expect(readdirSync(directory)).not.toContain('c.txt');
  });
});

describe('text for a terminal', () => {
  it('counts a wide character as two columns', () => {
    expect(padded('日程', 6)).toBe('日程  ');
    expect(cutTo('日程管理器', 7)).toBe('日程管…');
    expect(cutTo('abc', 3)).toBe('abc');
    expect(wrapped('日程管理器日程管理器日程管理器', 22, 2)).toBe('  日程管理器日程管理器\n  日程管理器');
  });

  it('lets nothing through that a terminal would obey', () => {
    expect(printable('a\u001B]0;title\u0007b\u001B[31mc\u009Bd\re\tf\n')).not.toMatch(/(?![\n\t])\p{Cc}/u);
    expect(printable('日程 a\tb\nc')).toBe('日程 a\tb\nc');
  });

  it('shows text in the order that it has', () => {
    const disguised = 'rm -rf /srv \u202e# ereh erus\u2066';
    expect(printable(disguised)).toBe('rm -rf /srv \\u202e# ereh erus\\u2066');
    const json = JSON.stringify({ command: `${disguised}\u009b2K` });
    expect(escapedJson(json)).toBe('{"command":"rm -rf /srv \\u202e# ereh erus\\u2066\\u009b2K"}');
    expect(JSON.parse(escapedJson(json))).toEqual(JSON.parse(json));
  });

  it('lines up a table, and cuts what is too wide', () => {
    const plain = (_style: unknown, text: string) => text;
    expect(
      table(
        ['A', 'B'],
        [
          ['日程', 'x'],
          ['b', 'long text'],
        ],
        9,
        plain,
      ),
    ).toBe('A     B\n日程  x\nb     lo…\n');
  });

  it('colours JSON without changing it', () => {
    const json = JSON.stringify({ 'a:1': ['x "y": 1', -1.5e3, true, null, { 漢: '\\' }] }, null, 2);
    const marked = coloured(json, (style, text) => `<${String(style)}>${text}</>`);
    expect(marked.replaceAll(/<\w+>|<\/>/g, '')).toBe(json);
    expect(marked).toContain('<cyan>"a:1"</>:');
    expect(marked).toContain('<green>"x \\"y\\": 1"</>');
    expect(marked).toContain('<yellow>-1500</>');
  });
});

describe('the type of an argument, in words', () => {
  it.each<[JsonValue, string]>([
    [{ type: 'integer', minimum: 1, maximum: 9 }, 'integer 1–9'],
    [{ type: 'string', maxLength: 5, format: 'date' }, 'string ≤ 5 characters (date)'],
    [{ enum: ['km', 'mile'] }, '"km" | "mile"'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'array', items: { type: 'string' } }, 'array of string'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, 'integer or string'],
    [{ type: 'number', exclusiveMinimum: 0 }, 'number > 0'],
    [true, 'anything'],
    [{}, 'anything'],
  ])('%j', (schema, words) => {
    expect(describeType(schema)).toBe(words);
  });
});

describe('a call written as a command line', () => {
  const command = {
    commandIdentifier: 'Run',
    inputSchema: { type: 'object', properties: { secret: { type: 'string', writeOnly: true } } },
  } as never;
  const tool = { name: 'Tool', commandField: 'command', commands: [command, command] };

  it('is quoted for a shell, typed where text would mean something else, and holds no secret', () => {
    const args = { command: 'Run', text: "it's", at: '@home', dash: '-', n: 5, list: ['a'], secret: 'hush', 名: '值' };
    expect(callLine(tool, command, args)).toBe(
      `vcp call Tool --command Run --arg 'text=it'\\''s' --arg 'at:="@home"' --arg 'dash:="-"' --arg n:=5 --arg 'list:=["a"]' --arg secret=- --arg 名=值`,
    );
  });
});

describe('a time', () => {
  const now = Date.parse('2026-11-30T12:00:00Z');
  it.each([
    ['90s', '2026-11-30T11:58:30.000Z'],
    ['2h', '2026-11-30T10:00:00.000Z'],
    ['7d', '2026-11-23T12:00:00.000Z'],
    ['2026-07-12T10:00:00+08:00', '2026-07-12T02:00:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(instantOf('--since', text, now)).toBe(instant);
  });

  it.each(['soon', '2x', '999999999d'])('%s is none', (text) => {
    expect(() => instantOf('--since', text, now)).toThrow('is no time');
  });
});

it('the command line is made without the parts of its commands', () => {
  const file = pathToFileURL(join(repositoryRoot, 'adapters', 'node', 'cli', 'create-program.ts')).href;
  const script = `(await import('${file}')).createProgram(); console.log(process.moduleLoadList.join('\\n'))`;
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).split(
    '\n',
  );
  expect(loaded).toContain('NativeModule path');
  // Only the keys file and the server need a database.
  expect(loaded).not.toContain('NativeModule sqlite');
});
