import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commandOfCase, pluginUnderTest } from './support/bundled-plugins.ts';
import { ContractCases, substitute } from './support/contract-cases.ts';
import {
  exampleFaults,
  expectationFaults,
  missingKinds,
  protocolFaults,
  vagueSchemas,
} from './support/contract-checks.ts';
import { ledgerEntryOf } from './support/evidence.ts';
import { forbiddenContent } from './support/forbidden-content.ts';
import { createNormaliser } from './support/normalise.ts';
import { observe } from './support/observe.ts';
import { stdoutFaults } from './support/raw-stdout.ts';
import { secondOpinion } from './support/second-opinion.ts';

// Whether the runner of plugin-contract.test.ts notices anything: a plugin that breaks the contract, one way a call.

const fixture = (name: string) => {
  const directory = fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
  const location = `${directory}/plugin-manifest.json`;
  return pluginUnderTest({ text: readFileSync(location, 'utf8'), directory, location });
};
const careless = fixture('Careless');
const [stumble, anything] = careless.commands;
const callWith = (fault: string) => observe(careless, { setup: [], arguments: { command: 'Stumble', fault } });

describe('a call of a careless plugin', () => {
  it.each([
    ['none', []],
    ['banner', [/^INVALID_TOOL_RESULT: /, /^line 1 is no frame: Careless 1\.0$/]],
    ['empty line', [/^line 1 is no frame: $/]],
    ['no line end', [/^the last line of stdout is not ended$/]],
    ['base64', [/^\/data\/picture: Base64 of more than 1 KB$/]],
    ['content', [/^\/data\/content: a content array/, /^\/data\/content\/0\/image_url: the legacy field/]],
    ['legacy output', [/^\/data\/original_plugin_output: the legacy field/]],
    ['path', [/^\/data\/file: an absolute path of the host$/]],
    ['wrapped', [/^\/data: a result wrapped in another/]],
    ['core field', [/^INVALID_TOOL_RESULT: .*"actor"/, /^\/actor: a field that only the core writes$/]],
    ['undeclared code', [/^error code CARELESS\.SECRET is not in errorCodes of Stumble$/]],
    ['json message', [/^\/error\/message: JSON inside a message$/]],
  ])('is found out: %s', async (fault, expected) => {
    const faults = protocolFaults(stumble!, await callWith(fault));
    expect(faults).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });

  it('is found out when an example is not valid', async () => {
    // Such an example is refused at start; a schema that changed since is found out by the call.
    const observation = await observe(careless, { setup: [], arguments: { command: 'Stumble', flaw: 'none' } });
    expect(exampleFaults(stumble!, observation)).toEqual([
      expect.stringMatching(/^INVALID_ARGUMENT: /),
      expect.stringMatching(/required property 'fault'/),
      expect.stringMatching(/additional properties/),
    ]);
  });
});

describe('a job of a careless plugin', () => {
  const plugin = fixture('CarelessJob');
  const [command] = plugin.commands;

  it.each([
    ['none', []],
    ['path in the answer', [/^accepted: \/data\/file: an absolute path of the host$/]],
    ['noise behind the answer', [/^line 2 is no frame: done$/, /^something follows the tool-result frame$/]],
    ['path in the end', [/^\/data\/file: an absolute path of the host$/]],
    ['legacy field in the end', [/^\/data\/original_plugin_output: the legacy field/]],
    ['no end', [/^TRANSPORT_FAILURE: .* exit code 3 /, /^the task ended without a callback$/]],
  ])('is found out: %s', async (fault, expected) => {
    const observation = await observe(plugin, { setup: [], arguments: { fault } });
    expect(observation.accepted?.result).toMatchObject({ status: 'accepted', task: { state: 'running' } });
    expect(protocolFaults(command!, observation)).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });
});

describe('the contract checks', () => {
  it('name the kinds of case that a command lacks', () => {
    expect(missingKinds(careless, stumble!)).toEqual([
      'Stumble has no argument-error case',
      'Stumble has no edge case',
    ]);
    expect(missingKinds(careless, anything!)).toHaveLength(3);
  });

  it('name schemas that say nothing', () => {
    expect(vagueSchemas(anything!)).toEqual([
      'inputSchema of Anything accepts anything',
      'outputSchema of Anything accepts anything',
    ]);
    expect(vagueSchemas(stumble!)).toEqual([]);
  });

  it('say where a result differs from the expectation', async () => {
    const observation = await callWith('none');
    const { cases } = ContractCases.parse({
      cases: [
        { name: 'x', kind: 'argument-error', arguments: {}, expect: { status: 'error', errorCode: 'A', target: 'b' } },
        { name: 'y', kind: 'success', arguments: {}, expect: { status: 'success', data: { ok: false } } },
        { name: 'z', kind: 'edge', arguments: {}, expect: { status: 'success', data: { ok: true } } },
        { name: 'v', kind: 'edge', arguments: {}, expect: { status: 'success', warnings: ['SOME_LEFT'] } },
        { name: 'w', kind: 'edge', arguments: {}, expect: { status: 'success', warnings: [] } },
      ],
    });
    expect(cases.map((contractCase) => expectationFaults(contractCase, observation).length)).toEqual([3, 1, 0, 1, 0]);
  });

  it('report a setup step that failed', async () => {
    const observation = await observe(careless, {
      setup: [{ arguments: { command: 'Stumble', fault: 'undeclared code' } }],
      arguments: { command: 'Stumble', fault: 'none' },
    });
    expect(observation.setupFaults).toEqual(['setup 0: CARELESS.SECRET nobody was told of this code']);
  });

  it('leave every field of the ledger false that nothing proves', async () => {
    const observed = [{ contractCase: careless.cases[0]!, observation: await callWith('undeclared code') }];
    const { commands } = await ledgerEntryOf(careless, observed);
    const unproved = {
      inputSchema: false,
      outputSchema: false,
      contractTests: false,
      aiSnapshot: false,
      humanSnapshot: false,
    };
    expect(commands).toEqual([
      { name: 'Stumble', codeMigrated: false, manifestMigrated: true, ...unproved },
      { name: 'Anything', codeMigrated: false, manifestMigrated: true, ...unproved },
    ]);
  });

  it('find the command of a case by its discriminator', () => {
    expect(commandOfCase(careless, { command: 'Anything' })).toBe(anything);
    expect(commandOfCase(careless, {})).toBeNull();
  });
});

describe('the parts of the runner', () => {
  it('fills saved values into nested strings, and refuses a name that was not saved', () => {
    const saved = new Map([['id', 'sch_1']]);
    expect(substitute({ a: ['${id}', 1], b: 'no ${id}' }, saved)).toEqual({ a: ['sch_1', 1], b: 'no sch_1' });
    expect(() => substitute('${other}', saved)).toThrow('other');
  });

  it('lets a plugin repeat the caller’s own words', () => {
    const context = { arguments: { text: '/etc/hosts is a file' }, hostDirectories: [] };
    expect(forbiddenContent({ data: { echo: '/etc/hosts is a file' } }, context)).toEqual([]);
    expect(forbiddenContent({ data: { echo: '/etc/passwd is a file' } }, context)).toHaveLength(1);
  });

  it('takes a long number for a number', () => {
    expect(forbiddenContent({ data: { value: '7'.repeat(5_000) } }, { arguments: {}, hostDirectories: [] })).toEqual(
      [],
    );
  });

  it.each([
    ['', ['the last line of stdout is not ended']],
    ['{"vcp":"progress","version":"1.0","payload":{}}\n', ['there is not exactly one tool-result frame']],
    ['{"vcp":"progress","version":"1.0","payload":{}}\n{"vcp":"tool-result","version":"1.0","payload":{}}\n', []],
  ])('judges stdout %j', (text, faults) => {
    expect(stdoutFaults(new TextEncoder().encode(text))).toEqual(faults);
  });

  it('asks a second validator that knows date-time, resource references and draft-07', () => {
    expect(secondOpinion({ type: 'string', format: 'date-time' }, '2026-07-12T10:00:00')).toHaveLength(1);
    expect(secondOpinion({ type: 'string', format: 'date-time' }, '2016-12-31T23:59:60Z')).toEqual([]);
    expect(secondOpinion({ $ref: 'urn:vcp:schema:1.0:resource-reference' }, { $resource: 1 })).toHaveLength(1);
    const tuple = { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] };
    expect(secondOpinion(tuple, [1])).toHaveLength(1);
    expect(secondOpinion({ type: 'no such type' }, 1)).toEqual([expect.stringContaining('does not compile')]);
  });

  it('gives the same id the same name in every text of a case', () => {
    const id = 'sch_01K00000000000000000000000';
    const { text } = createNormaliser('the case names sch_00000000000000000000000000');
    expect(text(`${id} tr_01K00000000000000000000001 ${id}`)).toBe('<sch 1> <tr 1> <sch 1>');
    expect(text(`${id} sch_00000000000000000000000000`)).toBe('<sch 1> sch_00000000000000000000000000');
  });

  it('stops the clock, and names hashes, unless the case itself gives them', () => {
    const [given, other] = ['a'.repeat(64), 'b'.repeat(64)];
    const { text } = createNormaliser(`from 2026-07-12T10:00:00.000Z with ${given}`);
    expect(text(`2026-07-12T10:00:00.000Z 2026-07-12T10:00:00.001Z ${given} ${other} ${other}`)).toBe(
      `2026-07-12T10:00:00.000Z <time> ${given} <sha256 1> <sha256 1>`,
    );
  });
});
