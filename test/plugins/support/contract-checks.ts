import { expectationFaults as differences } from '../../../adapters/node/plugin-check/expectation-faults.ts';
import { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import type { InvocationCommand } from '../../../src/protocol/manifest.ts';
import { commandOfCase, type PluginUnderTest } from './bundled-plugins.ts';
import { CASE_KINDS, substitute, type ContractCase } from './contract-cases.ts';
import { forbiddenContent } from './forbidden-content.ts';
import type { Observation } from './observe.ts';
import { stdoutFaults } from './raw-stdout.ts';
import { secondOpinion } from './second-opinion.ts';

// Each check gives the faults it found in words, so that a test can say them and the ledger can count them.

/** §17.5: the kinds of case that a command has none of. */
export const missingKinds = (plugin: PluginUnderTest, command: InvocationCommand): string[] => {
  const own = plugin.cases.filter((contractCase) => commandOfCase(plugin, contractCase.arguments) === command);
  return CASE_KINDS.filter((kind) => own.every((contractCase) => contractCase.kind !== kind)).map(
    (kind) => `${command.commandIdentifier} has no ${kind} case`,
  );
};

/** Where a result differs from what its case expects, and where the case expects too little. */
export const expectationFaults = (
  contractCase: ContractCase,
  { result, setupFaults, recordedAt }: Observation,
): string[] => {
  const { kind, expect } = contractCase;
  const faults = [...setupFaults];
  if (kind === 'success' && expect.status !== 'success') faults.push('a success case has to expect success');
  if (kind === 'argument-error' && expect.status !== 'error')
    faults.push('an argument-error case has to expect an error');
  if (expect.status === 'error' && expect.errorCode === undefined)
    faults.push('a case that expects an error has to expect its code');
  const data = recordedAt === null ? expect.data : substitute(expect.data, new Map([['recordings', recordedAt]]));
  return [...faults, ...differences({ ...expect, data }, result)];
};

/** Codes by which the core says that the plugin itself is at fault. */
const PLUGIN_AT_FAULT = new Set(['INVALID_TOOL_RESULT', 'TRANSPORT_FAILURE', 'INTERNAL_ERROR', 'TOOL_TIMEOUT']);

/** What a plugin owes on every call, whatever comes of it: valid protocol, clean payload and stdout, declared codes. */
export const protocolFaults = (command: InvocationCommand | null, observation: Observation): string[] => {
  const { result, payload, stdout } = observation;
  const faults: string[] = [];
  const parsed = CanonicalToolResult.safeParse(result);
  if (!parsed.success) faults.push(`the canonical result is not valid: ${parsed.error.message}`);
  if (result.error !== null && PLUGIN_AT_FAULT.has(result.error.code)) {
    faults.push(`${result.error.code}: ${result.error.message}`);
  }
  for (const { code } of result.warnings) {
    if (code === 'NONZERO_EXIT' || code === 'PROCESS_LINGERED')
      faults.push(`the process did not end by itself: ${code}`);
  }
  if (payload !== undefined)
    faults.push(...forbiddenContent(payload, observation), ...undeclaredCode(command, payload));
  if (stdout !== null) faults.push(...stdoutFaults(stdout));
  return [...faults, ...acceptedFaults(observation)];
};

/** What is owed by a call that was accepted first (§10.3): an answer as clean as its end, and an end that is of the same call. */
const acceptedFaults = (observation: Observation): string[] => {
  const { accepted, result } = observation;
  if (accepted === null) return [];
  const faults = forbiddenContent(accepted.payload, observation).map((fault) => `accepted: ${fault}`);
  const parsed = CanonicalToolResult.safeParse(accepted.result);
  if (!parsed.success) faults.push(`the result that accepted the work is not valid: ${parsed.error.message}`);
  if (result.task?.id !== accepted.result.task?.id) faults.push('the end is not that of the task that was accepted');
  if (result.execution.invocationId !== accepted.result.execution.invocationId)
    faults.push('the end is not that of the call that was accepted');
  if (observation.payload === undefined) faults.push('the task ended without a callback');
  return faults;
};

const undeclaredCode = (command: InvocationCommand | null, payload: unknown): string[] => {
  const code = (payload as { error?: { code?: unknown } | null } | null)?.error?.code;
  if (typeof code !== 'string' || command === null || command.errorCodes?.includes(code) === true) return [];
  return [`error code ${code} is not in errorCodes of ${command.commandIdentifier}`];
};

/** §9.3: a success case's arguments, held against inputSchema by a validator that is not ours. */
export const inputFaults = (
  command: InvocationCommand,
  kind: ContractCase['kind'],
  { arguments: args }: Observation,
): string[] =>
  kind === 'success' ? secondOpinion(command.inputSchema, args).map((fault) => `inputSchema: ${fault}`) : [];

/** §9.3: the data of success and partial, held against outputSchema by a validator that is not ours. */
export const outputFaults = (command: InvocationCommand, { result }: Observation): string[] =>
  result.status === 'success' || result.status === 'partial'
    ? secondOpinion(command.outputSchema, result.data).map((fault) => `outputSchema: ${fault}`)
    : [];

/** A schema that says nothing (`true`, `{}`) would make both checks above empty. */
export const vagueSchemas = ({ commandIdentifier, inputSchema, outputSchema }: InvocationCommand): string[] =>
  Object.entries({ inputSchema, outputSchema })
    .filter(([, schema]) => schema === true || Object.keys(schema).length === 0)
    .map(([name]) => `${name} of ${commandIdentifier} accepts anything`);

/** An example has to be one that can be pasted: whatever it comes to, its arguments are valid. */
export const exampleFaults = (command: InvocationCommand, observation: Observation): string[] => {
  const { error } = observation.result;
  const refused = error?.category === 'validation' ? [`${error.code}: ${error.message}`] : [];
  return [
    ...refused,
    ...secondOpinion(command.inputSchema, observation.arguments),
    ...protocolFaults(command, observation),
    ...outputFaults(command, observation),
  ];
};
