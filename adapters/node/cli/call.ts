import process from 'node:process';
import { text as readText } from 'node:stream/consumers';
import type { VcpClient } from '../../../src/client/vcp-client.ts';
import { coerceArguments } from '../../../src/instruction/coerce-arguments.ts';
import { normaliseKey } from '../../../src/instruction/normalise-key.ts';
import {
  propertyNames,
  schemaOfFields,
  type KnownTool,
  type WrittenField,
} from '../../../src/instruction/select-command.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import { parseJson } from '../../../src/lib/parse-json.ts';
import type { ResultView } from '../../../src/protocol/invocation.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { EXIT, UsageError } from './exit.ts';

export type CallOptions = ConnectOptions & {
  readonly command?: string;
  readonly arg?: readonly string[];
  readonly json?: string;
  readonly timeout?: string;
  readonly view: ResultView;
};

/** `vcp call`: prints the view on stdout; the exit code tells whether the tool succeeded. */
export const callCommand = async (tool: string, options: CallOptions): Promise<void> => {
  if (options.json !== undefined && options.arg !== undefined)
    throw new UsageError('give arguments by --arg or by --json, not both');
  const timeoutMs = options.timeout === undefined ? undefined : Number(options.timeout);
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0))
    throw new UsageError('--timeout is a whole number of milliseconds');
  const client = connect(options);
  const args = await argumentsOf(client, tool, options);
  // The call is made once and read twice: the canonical result tells whether the tool succeeded, in every view.
  const result = await client.callTool(tool, args, timeoutMs === undefined ? {} : { timeoutMs });
  process.exitCode = SUCCESSFUL.has(result.status) ? EXIT.success : EXIT.toolError;
  if (options.view === 'canonical' || result.execution.recordId === null) {
    if (options.view !== 'canonical') {
      process.stderr.write(
        `vcp: the result could not be stored, so it has no ${options.view} view; this is the whole\n`,
      );
    }
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    return;
  }
  const view = await client.getResult(result.id, { view: options.view });
  const isText = options.view === 'ai';
  // The text does not name the result that it is of.
  if (isText) process.stderr.write(`vcp: this is ${result.id}; vcp results ${result.id} prints it whole\n`);
  process.stdout.write(isText ? `${(view as { text: string }).text}\n` : `${JSON.stringify(view, null, 2)}\n`);
};

const SUCCESSFUL: ReadonlySet<string> = new Set(['success', 'accepted', 'partial']);

const jsonArguments = async (given: string): Promise<JsonObject> => {
  const text = given === '-' ? await readText(process.stdin) : given;
  const parsed = parseJson(text, DEFAULT_LIMITS);
  if (!parsed.ok)
    throw new UsageError(
      `--json${parsed.issue.pointer === '' ? '' : ` at ${parsed.issue.pointer}`} ${parsed.issue.message}`,
    );
  if (typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value))
    throw new UsageError('--json must be an object');
  return parsed.value as JsonObject;
};

/** `--arg` values are text; the tool's own schema says what each is to become. `--command` is the argument that names it. */
const argumentsOf = async (client: VcpClient, tool: string, options: CallOptions): Promise<JsonObject> => {
  const { command, arg = [], json } = options;
  const given = json === undefined ? null : await jsonArguments(json);
  if (arg.length === 0 && command === undefined) return given ?? {};
  // A tool that is not listed cannot be described; the call itself will say so.
  const known = (await client.listTools()).tools.find(({ name }) => name === tool) ?? null;
  const field = known?.commandField ?? 'command';
  const discriminator = command === undefined || !takesCommand(known, command) ? {} : { [field]: command };
  if (given !== null) return { ...given, ...discriminator };
  const fields: WrittenField[] = arg.map((pair) => {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new UsageError(`--arg ${pair} must be name=value`);
    return [pair.slice(0, equals), pair.slice(equals + 1)];
  });
  const schema = schemaOfFields(known, command === undefined ? fields : [...fields, [field, command]]);
  return { ...coerceArguments(fields, schema), ...discriminator };
};

/** Whether the command is named by an argument: a tool with a single command may have none for it. */
const takesCommand = (known: KnownTool | null, command: string): boolean => {
  const described = known?.commands.find(({ commandIdentifier }) => commandIdentifier === command);
  if (known === null || described === undefined) return true;
  return known.commands.length > 1 || propertyNames(described.inputSchema).has(normaliseKey(known.commandField));
};
