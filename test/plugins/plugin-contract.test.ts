import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { MigrationLedger } from '../../src/protocol/migration-ledger.ts';
import { PROTOCOL_NAME, PROTOCOL_VERSION } from '../../src/protocol/version.ts';
import {
  commandOfCase,
  readBundledPlugins,
  readExamplePlugins,
  type PluginUnderTest,
} from './support/bundled-plugins.ts';
import {
  expectationFaults,
  exampleFaults,
  inputFaults,
  missingKinds,
  outputFaults,
  protocolFaults,
  vagueSchemas,
} from './support/contract-checks.ts';
import type { ContractCase } from './support/contract-cases.ts';
import { fileNameOf, ledgerEntryOf, snapshotsOf, type ObservedCase } from './support/evidence.ts';
import { observe } from './support/observe.ts';

// §17.5 for every plugin in plugins-stdio, plugins-direct and examples/plugins, found by reading the folders. A new plugin needs nothing
// here.

const bundled = await readBundledPlugins();
const examples = await readExamplePlugins();

/** A case runs once, whoever asks first: its own test or the ledger. */
const observed = new Map<ContractCase, Promise<ObservedCase>>();
const observeOnce = (plugin: PluginUnderTest, contractCase: ContractCase): Promise<ObservedCase> => {
  const known = observed.get(contractCase);
  if (known !== undefined) return known;
  const observing = observe(plugin, contractCase).then((observation) => ({ contractCase, observation }));
  observed.set(contractCase, observing);
  return observing;
};

it('finds plugins to test', () => {
  expect(bundled.length).toBeGreaterThan(0);
  expect(examples.map(({ name }) => name)).toEqual(['BarChart', 'CharacterSearch', 'Countdown', 'Wait', 'WordCount']);
});

describe.each([...bundled, ...examples])('$name', (plugin) => {
  it('declares the protocol, and a specific schema for each side of each command', () => {
    expect(plugin.definition.manifest.toolResultProtocol).toEqual({ name: PROTOCOL_NAME, version: PROTOCOL_VERSION });
    expect(plugin.commands.flatMap(vagueSchemas)).toEqual([]);
  });

  it('gives each case a name, and a snapshot file, of its own', () => {
    const names = plugin.cases.map(({ name }) => fileNameOf(name));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it.each(plugin.commands)('has a success, an argument error and an edge case of $commandIdentifier', (command) => {
    expect(missingKinds(plugin, command)).toEqual([]);
  });

  it.each([...plugin.cases])('$kind: $name', async (contractCase) => {
    const { observation } = await observeOnce(plugin, contractCase);
    const command = commandOfCase(plugin, contractCase.arguments);
    expect([
      ...expectationFaults(contractCase, observation),
      ...protocolFaults(command, observation),
      ...(command === null ? [] : inputFaults(command, contractCase.kind, observation)),
      ...(command === null ? [] : outputFaults(command, observation)),
    ]).toEqual([]);
  });

  it.each(plugin.cases.filter(({ snapshot }) => snapshot))(
    'is read by AI and people as reviewed: $name',
    async (contractCase) => {
      const { human, ai } = snapshotsOf(plugin, await observeOnce(plugin, contractCase));
      await expect(human.text).toMatchFileSnapshot(human.path);
      await expect(ai.text).toMatchFileSnapshot(ai.path);
    },
  );

  it('keeps no snapshot of a case that is gone', async () => {
    const kept = await readdir(new URL(`./__snapshots__/${plugin.name}`, import.meta.url)).catch(() => []);
    const current = new Set(plugin.cases.filter(({ snapshot }) => snapshot).map(({ name }) => fileNameOf(name)));
    expect(kept.filter((file) => !current.has(file.replace(/\.(ai\.md|human\.json)$/, '')))).toEqual([]);
  });

  const calls = plugin.commands.flatMap((command) =>
    (command.examples ?? []).map((example, index) => ({
      command,
      example,
      name: `${command.commandIdentifier} ${index + 1}`,
    })),
  );
  it.each(calls)('runs the example of $name as it stands', async ({ command, example }) => {
    const observation = await observe(plugin, { setup: [], arguments: example.arguments as Record<string, unknown> });
    expect(exampleFaults(command, observation)).toEqual([]);
  });
});

// `npm test -- --project plugins -u` writes the ledger and the snapshots anew.
describe('the migration ledger (§16.3)', () => {
  let gathered: Promise<MigrationLedger> | undefined;
  const evidence = () => (gathered ??= gather());
  const gather = async (): Promise<MigrationLedger> => {
    const ledger: MigrationLedger = [];
    for (const plugin of bundled) {
      const cases: ObservedCase[] = [];
      for (const contractCase of plugin.cases) cases.push(await observeOnce(plugin, contractCase));
      ledger.push(await ledgerEntryOf(plugin, cases));
    }
    return MigrationLedger.parse(ledger);
  };

  it('says what this run proved, and nothing else', async () => {
    await expect(`${JSON.stringify(await evidence(), null, 2)}\n`).toMatchFileSnapshot(
      '../../docs/migration-ledger.json',
    );
  });

  it('is complete: every command is migrated on evidence (§21)', async () => {
    const open = (await evidence()).flatMap(({ plugin, commands }) =>
      commands.flatMap((command) =>
        Object.entries(command)
          .filter(([, value]) => value === false)
          .map(([field]) => `${plugin} ${command.name}: ${field}`),
      ),
    );
    expect(open).toEqual([]);
  });
});
