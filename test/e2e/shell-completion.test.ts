// Real shells, asked for completions of `vcp` as a person asks: by the Tab key.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../support/manifest.ts';
import { hasTerminals, onTerminal } from '../support/terminal.ts';
import {
  cleanEnvironment,
  startServerProcess,
  temporaryHome,
  vcp,
  writePlugin,
  type ServerProcess,
} from '../support/server-process.ts';

const has = (program: string) => spawnSync(program, ['--version']).error === undefined;

const home = temporaryHome();
const programs = join(home.root, 'bin');
let server: ServerProcess;
let environment: Record<string, string>;

beforeAll(async () => {
  mkdirSync(programs);
  const program = join(programs, 'vcp');
  const cli = join(repositoryRoot, 'adapters', 'node', 'cli.ts');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
  chmodSync(program, 0o755);
  const inputSchema = {
    type: 'object',
    properties: {
      unit: { enum: ['kilometre', 'mile', 'sea mile'] },
      exact: { type: 'boolean' },
      note: { type: 'string' },
    },
  };
  writePlugin(home.plugins, { name: 'Measure', command: './run.sh', args: ['echo "$FRAME"'], inputSchema });
  writePlugin(home.plugins, { name: '日程', command: './run.sh', args: ['echo "$FRAME"'] });
  server = await startServerProcess(home);
  environment = { PATH: `${programs}:${process.env['PATH'] ?? ''}`, VCP_URL: server.url, VCP_COMPLETION_MS: '20000' };
}, 120_000);
afterAll(async () => {
  server.kill('SIGTERM');
  await server.exit;
  home.remove();
});

/** What bash would offer for a line, told by the function that the script defines. */
const bash = (line: string, more: Record<string, string> = {}) => {
  const script = `eval "$(vcp completion bash)"; COMP_LINE=$1 COMP_POINT=\${#1} COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:@'
    _vcp_complete vcp; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const run = spawnSync('bash', ['--norc', '-c', script, 'bash', line], {
    encoding: 'utf8',
    env: cleanEnvironment(home, { ...environment, ...more }),
  });
  return run.stdout.split('\n').filter((reply) => reply !== '');
};

describe.skipIf(!has('bash'))('bash (skipped where there is none)', () => {
  it('is offered tools, commands, arguments, their values, plugins, roles and the ids of results', async () => {
    expect(bash('vcp ca')).toEqual(['call']);
    expect(bash('vcp call M')).toEqual(['Measure']);
    expect(bash('vcp call 日')).toEqual(['日程']);
    expect(bash('vcp call Measure --command ')).toEqual(['Run']);
    expect(bash('vcp call Measure --arg ')).toEqual(['unit=', 'exact=', 'note=']);
    expect(bash('vcp call Measure --arg exact=true --arg e')).toEqual([]);
    expect(bash('vcp call Measure --arg unit=')).toEqual(['kilometre', 'mile', 'sea\\ mile']);
    expect(bash('vcp call Measure --arg exact=t')).toEqual(['true']);
    expect(bash('vcp plugins disable M')).toEqual(['Measure']);
    expect(bash('vcp keys new --role o')).toEqual(['operator']);
    const { id } = await server.call('Measure');
    expect(bash('vcp results tr_')).toEqual([id]);
  });

  it('runs nothing that stands on the line', () => {
    expect(bash('vcp call $(touch owned) `touch owned` M')).toEqual([]);
    expect(spawnSync('ls', [home.root], { encoding: 'utf8' }).stdout).not.toContain('owned');
  });

  it.skipIf(!hasTerminals)('completes at the Tab key (skipped without util-linux script)', async () => {
    const rc = join(home.root, 'bashrc');
    writeFileSync(rc, 'PS1="ready> "; bind "set bell-style none"; eval "$(vcp completion bash)"\n');
    const terminal = onTerminal(home, `exec bash --rcfile '${rc}' -i`, environment);
    await terminal.waitFor('ready> ');
    terminal.type('vcp call Mea\t');
    await terminal.waitFor('vcp call Measure ');
    terminal.type('--arg un\t');
    await terminal.waitFor('--arg unit=');
    terminal.type('k\t');
    await terminal.waitFor('kilometre ');
    terminal.type('\u0015exit\r');
    expect(await terminal.exit).toBe(0);
  });
});

describe.skipIf(!has('zsh') || !hasTerminals)('zsh (skipped where it, or util-linux script, is not installed)', () => {
  it('completes at the Tab key', async () => {
    writeFileSync(
      join(home.root, '.zshrc'),
      'PS1="ready> "; unsetopt beep; autoload -Uz compinit; compinit -u -D; eval "$(vcp completion zsh)"\n',
    );
    const terminal = onTerminal(home, 'exec zsh -d -i', { ...environment, ZDOTDIR: home.root });
    await terminal.waitFor('ready> ');
    terminal.type('vcp call Mea\t');
    await terminal.waitFor('sure');
    terminal.type('--arg un\t');
    await terminal.waitFor('it=');
    terminal.type('k\t');
    await terminal.waitFor('ilometre');
    terminal.type('\u0015exit\r');
    expect(await terminal.exit).toBe(0);
  });
});

describe.skipIf(!has('fish'))('fish (skipped where it is not installed)', () => {
  const fish = (line: string) => {
    const script = `vcp completion fish | source; complete -C ${JSON.stringify(line)}`;
    const run = spawnSync('fish', ['-N', '-c', script], { encoding: 'utf8', env: cleanEnvironment(home, environment) });
    return run.stdout.split('\n').flatMap((reply) => (reply === '' ? [] : [reply.split('\t')[0]]));
  };

  it('is offered tools, arguments and their values', () => {
    expect(fish('vcp call Mea')).toEqual(['Measure']);
    expect(fish('vcp call Measure --arg un')).toEqual(['unit=']);
    expect(fish('vcp call Measure --arg unit=k')).toEqual(['unit=kilometre']);
  });
});

describe('what the scripts ask', () => {
  it('gives words with their meaning', async () => {
    const { stdout } = await vcp(home, ['complete', 'zsh', '--', 'call', 'Measure', '--arg', 'unit='], environment);
    expect(stdout).toBe('values\nunit=kilometre\nunit=mile\nunit=sea mile\n');
    const tools = await vcp(home, ['complete', 'fish', '--', 'tools', ''], environment);
    expect(tools.stdout).toBe(
      'values\nMeasure\tMeasure\nResultReader\tResult reader\nTaskScheduler\tTask scheduler\n日程\t日程\n',
    );
  });

  it.each([
    ['nobody is there', { VCP_URL: 'http://127.0.0.1:1' }],
    ['the key is wrong', { VCP_API_KEY: 'a-key-that-is-wrong' }],
    ['the configuration is not valid', { VCP_PORT: 'x' }],
  ])('offers nothing, says nothing and ends with 0 when %s', async (_, more) => {
    expect(await vcp(home, ['complete', 'bash', '--', 'vcp call '], { ...environment, ...more })).toEqual({
      code: 0,
      stdout: 'values\n',
      stderr: '',
    });
  });

  it('asks the server that the line names', async () => {
    const words = ['call', '--url', server.url, ''];
    const { stdout } = await vcp(home, ['complete', 'zsh', '--', ...words], {
      ...environment,
      VCP_URL: 'http://127.0.0.1:1',
    });
    expect(stdout).toContain('Measure');
  });

  it('refuses a shell that it has no script for', async () => {
    const { code, stderr } = await vcp(home, ['completion', 'tcsh']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
  });
});
