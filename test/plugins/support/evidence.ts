import { expect } from 'vitest';
import type { InvocationCommand } from '../../../src/protocol/manifest.ts';
import type { MigrationLedger } from '../../../src/protocol/migration-ledger.ts';
import { commandOfCase, type PluginUnderTest } from './bundled-plugins.ts';
import type { ContractCase } from './contract-cases.ts';
import {
  expectationFaults,
  inputFaults,
  missingKinds,
  outputFaults,
  protocolFaults,
  vagueSchemas,
} from './contract-checks.ts';
import { createNormaliser } from './normalise.ts';
import type { Observation } from './observe.ts';

export type ObservedCase = { readonly contractCase: ContractCase; readonly observation: Observation };

/** One snapshot of one case: what it is kept under, and what this run says. */
export type Snapshot = { readonly path: string; readonly text: string };

/** The two texts that a `snapshot: true` case keeps for review (§16.2, stage D). */
export const snapshotsOf = (
  plugin: PluginUnderTest,
  { contractCase, observation }: ObservedCase,
): { human: Snapshot; ai: Snapshot } => {
  const { text, result } = createNormaliser(JSON.stringify(plugin.cases), observation.recordedAt);
  const base = `./__snapshots__/${plugin.name}/${fileNameOf(contractCase.name)}`;
  return {
    human: { path: `${base}.human.json`, text: result(observation.human) },
    ai: { path: `${base}.ai.md`, text: `${text(observation.ai.text)}\n` },
  };
};

export const fileNameOf = (caseName: string): string =>
  caseName
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 80);

type Ledger = MigrationLedger[number];

/** §16.3, out of what this run saw: nothing here is true because somebody said so. */
export const ledgerEntryOf = async (plugin: PluginUnderTest, observed: readonly ObservedCase[]): Promise<Ledger> => {
  const { manifest } = plugin.definition;
  const commands: Ledger['commands'] = [];
  for (const command of plugin.commands) commands.push(await evidenceOf(plugin, command, observed));
  return {
    plugin: plugin.name,
    enabled: manifest.enabled,
    type: manifest.pluginType,
    protocol: manifest.communication.protocol,
    commands,
  };
};

const evidenceOf = async (
  plugin: PluginUnderTest,
  command: InvocationCommand,
  observed: readonly ObservedCase[],
): Promise<Ledger['commands'][number]> => {
  const own = observed.filter(({ contractCase }) => commandOfCase(plugin, contractCase.arguments) === command);
  const succeeded = own.filter(({ observation }) => observation.result.status === 'success');
  const clean = (check: (one: ObservedCase) => readonly string[], among = own) =>
    among.length > 0 && among.every((one) => check(one).length === 0);
  const specific = vagueSchemas(command).length === 0;
  const pictured = own.filter(({ contractCase }) => contractCase.snapshot).map((one) => snapshotsOf(plugin, one));
  return {
    name: command.commandIdentifier,
    codeMigrated: clean(({ observation }) => protocolFaults(command, observation)),
    manifestMigrated: plugin.definition.manifest.toolResultProtocol.name === 'vcp.tool-result',
    inputSchema:
      specific &&
      clean(({ contractCase, observation }) => inputFaults(command, contractCase.kind, observation), succeeded),
    outputSchema: specific && clean(({ observation }) => outputFaults(command, observation), succeeded),
    contractTests:
      missingKinds(plugin, command).length === 0 &&
      clean(({ contractCase, observation }) => expectationFaults(contractCase, observation)),
    aiSnapshot: await allMatch(pictured.map(({ ai }) => ai)),
    humanSnapshot: await allMatch(pictured.map(({ human }) => human)),
  };
};

const allMatch = async (snapshots: readonly Snapshot[]): Promise<boolean> => {
  try {
    for (const { path, text } of snapshots) await expect(text).toMatchFileSnapshot(path);
    return snapshots.length > 0;
  } catch {
    return false;
  }
};
