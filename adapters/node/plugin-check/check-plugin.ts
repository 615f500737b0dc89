import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { createVcpClient, type VcpClient } from '../../../src/client/vcp-client.ts';
import { messageOf } from '../../../src/lib/message-of.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { CanonicalToolResult } from '../../../src/protocol/canonical-tool-result.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { loadConfiguration } from '../../../src/server/configuration.ts';
import { isBuiltIn } from '../../../src/runtime/built-in/built-in-location.ts';
import { buildPlugin, hasSource } from '../plugin-build/build-plugin.ts';
import { PluginBuildError } from '../plugin-build/build-report.ts';
import { readJsonFile } from '../plugin-build/read-json-file.ts';
import { MANIFEST_FILE } from '../read-plugin-directories.ts';
import { serverRoot } from '../server-root.ts';
import { startServer } from '../start-server.ts';
import { readContractCases, savedValues, substitute, type ContractCase, type ContractCases } from './contract-cases.ts';
import { expectationFaults } from './expectation-faults.ts';
import { missingKinds } from './missing-kinds.ts';

export type CheckedCase = { readonly name: string; readonly faults: readonly string[] };

export type PluginCheck = {
  /** As the manifest says; null when it cannot be read that far. */
  readonly name: string | null;
  readonly version: string | null;
  /** Why a server would not serve it; null when it would. */
  readonly refusal: string | null;
  readonly cases: readonly CheckedCase[];
  /** What its cases leave out. */
  readonly warnings: readonly string[];
  /** Why no cases were run; null when they were. */
  readonly notRun: string | null;
};

/**
 * Serves the plugin alone, on this machine only and with a data directory of its own, and makes the calls of its
 * contract cases: what judges it is a server. The command of a plugin that is a process is run, as the user who asks.
 */
export const checkPlugin = async (directory: string): Promise<PluginCheck> => {
  const plugin = resolve(directory);
  const fault = await buildFault(plugin);
  if (fault !== null) {
    return { name: null, version: null, refusal: fault, cases: [], warnings: [], notRun: 'it cannot be built' };
  }
  const root = await mkdtemp(join(tmpdir(), 'vcp-check-'));
  try {
    const plugins = join(root, 'plugins');
    await mkdir(plugins);
    await symlink(plugin, join(plugins, basename(plugin)), 'junction');
    const contract = readCases(plugin);
    const configured = typeof contract === 'string' ? {} : contract.configuration;
    return await judge(plugin, contract, async (use) => {
      const server = await serve(await mkdtemp(join(root, 'data-')), plugins, configured);
      try {
        return await use(createVcpClient({ endpoint: server.url, apiKey: server.apiKey }));
      } finally {
        await server.close();
      }
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
};

/** A module that is older than its source would be judged in its place. */
const buildFault = async (plugin: string): Promise<string | null> => {
  if (!hasSource(plugin) || !(await isModulePlugin(plugin))) return null;
  try {
    await buildPlugin(plugin);
    return null;
  } catch (error) {
    if (error instanceof PluginBuildError) return error.message;
    // A folder that cannot be written to, say.
    if (error instanceof Error && 'syscall' in error) return `its module cannot be built: ${error.message}`;
    throw error;
  }
};

const isModulePlugin = async (plugin: string): Promise<boolean> => {
  const manifest = await readJsonFile(join(plugin, MANIFEST_FILE)).catch(() => null);
  return (manifest as { entryPoint?: { type?: unknown } } | null)?.entryPoint?.type === 'wasm';
};

/** Gives a client of a new server, with nothing kept from before, for as long as it is used. */
type WithServer = <T>(use: (client: VcpClient) => Promise<T>) => Promise<T>;

const judge = async (
  plugin: string,
  contract: ContractCases | string,
  withServer: WithServer,
): Promise<PluginCheck> => {
  const [{ tools, refused = [] }, { plugins }] = await withServer((client) =>
    Promise.all([client.listTools({ refused: true }), client.listPlugins()]),
  );
  // A server has tools of its own beside it.
  const ofFolder = plugins.find(({ location }) => !isBuiltIn(location));
  const tool = tools.find(({ name }) => name === ofFolder?.name);
  if (tool === undefined && ofFolder?.state === 'serving') {
    const { name, version } = ofFolder;
    const notRun = 'it is served, and is no tool; contract cases are calls of tools';
    return { name, version, refusal: null, cases: [], warnings: [], notRun };
  }
  if (tool === undefined) {
    const [first] = refused;
    const reason = first?.reason ?? `there is no plugin in ${plugin}: it has no plugin-manifest.json`;
    return {
      name: first?.name ?? null,
      version: null,
      refusal: reason,
      cases: [],
      warnings: [],
      notRun: 'it is not served',
    };
  }
  const about = { name: tool.name, version: tool.version, refusal: null };
  if (typeof contract === 'string') return { ...about, cases: [], warnings: [], notRun: contract };
  if (contract.recordings !== undefined) {
    const notRun = 'its contract cases need recorded answers, which are not played here';
    return { ...about, cases: [], warnings: [], notRun };
  }
  const cases: CheckedCase[] = [];
  for (const contractCase of contract.cases) {
    const faults = await withServer((client) => runCase(client, tool.name, contractCase));
    cases.push({ name: contractCase.name, faults });
  }
  return { ...about, cases, warnings: missingKinds(tool, contract.cases), notRun: null };
};

const runCase = async (client: VcpClient, tool: string, contractCase: ContractCase): Promise<string[]> => {
  const saved = new Map<string, string>();
  try {
    for (const { arguments: args, save } of contractCase.setup) {
      const result = await endOf(client, await client.callTool(tool, substitute(args, saved) as JsonObject));
      if (result.status !== 'success') return [`its setup failed: ${result.error?.code} ${result.error?.message}`];
      for (const [name, value] of savedValues(save, result)) saved.set(name, value);
    }
    const answer = await client.callTool(tool, substitute(contractCase.arguments, saved) as JsonObject);
    // Work that somebody else ends has no end here: such a case expects no more than that it was accepted.
    const result = contractCase.expect.status === 'accepted' ? answer : await endOf(client, answer);
    const faults = expectationFaults(contractCase.expect, result);
    const isUnexplained = faults.length > 0 && result.error !== null && contractCase.expect.status !== 'error';
    return isUnexplained ? [...faults, `it failed: ${result.error?.message}`] : faults;
  } catch (error) {
    return [messageOf(error)];
  }
};

/** Milliseconds that the task of a case may take. */
const LONGEST_TASK_MS = 120_000;

/** The result that the call comes to: where it was accepted as a task, the one that ends that. */
const endOf = async (client: VcpClient, answer: CanonicalToolResult): Promise<CanonicalToolResult> => {
  if (answer.status !== 'accepted' || answer.task === null) return answer;
  const signal = AbortSignal.timeout(LONGEST_TASK_MS);
  try {
    return await client.waitForTask(answer.task.id, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Error(`it was accepted, and its task did not end within ${LONGEST_TASK_MS / 1_000} s`, { cause: error });
  }
};

/** The cases of the plugin, or why there are none to run. */
const readCases = (plugin: string): ContractCases | string => {
  if (!existsSync(join(plugin, 'contract-cases.json'))) return 'it has no contract-cases.json';
  try {
    return readContractCases(plugin);
  } catch (error) {
    return `contract-cases.json cannot be used: ${messageOf(error)}`;
  }
};

const serve = async (dataDirectory: string, plugins: string, configured: Readonly<Record<string, string>>) => {
  const parsed = loadConfiguration({
    VCP_HOST: '127.0.0.1',
    VCP_PORT: '0',
    VCP_DATA_DIR: dataDirectory,
    VCP_PLUGIN_DIRS: plugins,
    VCP_WATCH: 'false',
  });
  // The author is there and wants the cases to run: nobody else would have to approve them.
  await writeFile(join(dataDirectory, 'approval-rules.json'), JSON.stringify(NOTHING_TO_APPROVE));
  if (!parsed.ok) throw new Error(parsed.errors.map(({ name, message }) => `${name} ${message}`).join('; '));
  return startServer({
    configuration: parsed.configuration,
    limits: parsed.limits,
    logger: SILENT,
    // The author's environment would make a plugin pass here that fails elsewhere, and is not for a stranger's plugin.
    environment: {},
    pluginConfiguration: configured,
    root: serverRoot,
    version: packageJson.version,
  });
};

const NOTHING_TO_APPROVE = {
  version: 1,
  rules: [{ tools: ['*'], effect: 'allow', overrideManifest: true }],
};

const nothing = () => undefined;
const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
