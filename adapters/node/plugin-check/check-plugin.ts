import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { createVcpClient, type VcpClient } from '../../../src/client/vcp-client.ts';
import { messageOf } from '../../../src/lib/message-of.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { loadConfiguration } from '../../../src/server/configuration.ts';
import { serverRoot } from '../server-root.ts';
import { startServer } from '../start-server.ts';
import { readContractCases, savedValues, substitute, type ContractCase, type ContractCases } from './contract-cases.ts';
import { expectationFaults } from './expectation-faults.ts';

export type CheckedCase = { readonly name: string; readonly faults: readonly string[] };

export type PluginCheck = {
  /** As the manifest says; null when it cannot be read that far. */
  readonly name: string | null;
  readonly version: string | null;
  /** Why a server would not serve it; null when it would. */
  readonly refusal: string | null;
  readonly cases: readonly CheckedCase[];
  /** Why no cases were run; null when they were. */
  readonly notRun: string | null;
};

/**
 * Serves the plugin alone, on this machine only and with a data directory of its own, and makes the calls of its
 * contract cases: what judges it is a server.
 */
export const checkPlugin = async (directory: string): Promise<PluginCheck> => {
  const plugin = resolve(directory);
  const root = await mkdtemp(join(tmpdir(), 'vcp-check-'));
  try {
    const plugins = join(root, 'plugins');
    await mkdir(plugins);
    await symlink(plugin, join(plugins, basename(plugin)), 'junction');
    const contract = readCases(plugin);
    const server = await serve(root, plugins, typeof contract === 'string' ? {} : contract.configuration);
    try {
      const client = createVcpClient({ endpoint: server.url, apiKey: server.apiKey });
      return await judge(client, plugin, contract);
    } finally {
      await server.close();
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
};

const judge = async (client: VcpClient, plugin: string, contract: ContractCases | string): Promise<PluginCheck> => {
  const { tools, refused = [] } = await client.listTools({ refused: true });
  const [tool] = tools;
  if (tool === undefined) {
    const [first] = refused;
    const reason = first?.reason ?? `there is no plugin in ${plugin}: it has no plugin-manifest.json`;
    return { name: first?.name ?? null, version: null, refusal: reason, cases: [], notRun: 'it is not served' };
  }
  const about = { name: tool.name, version: tool.version, refusal: null };
  if (typeof contract === 'string') return { ...about, cases: [], notRun: contract };
  if (contract.recordings !== undefined) {
    return { ...about, cases: [], notRun: 'its contract cases need recorded answers, which are not played here' };
  }
  const cases: CheckedCase[] = [];
  for (const contractCase of contract.cases) {
    cases.push({ name: contractCase.name, faults: await runCase(client, tool.name, contractCase) });
  }
  return { ...about, cases, notRun: null };
};

const runCase = async (client: VcpClient, tool: string, contractCase: ContractCase): Promise<string[]> => {
  const saved = new Map<string, string>();
  try {
    for (const { arguments: args, save } of contractCase.setup) {
      const result = await client.callTool(tool, substitute(args, saved) as JsonObject);
      if (result.status !== 'success') return [`its setup failed: ${result.error?.code} ${result.error?.message}`];
      for (const [name, value] of savedValues(save, result)) saved.set(name, value);
    }
    return expectationFaults(
      contractCase,
      await client.callTool(tool, substitute(contractCase.arguments, saved) as JsonObject),
    );
  } catch (error) {
    return [messageOf(error)];
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

const serve = async (root: string, plugins: string, configured: Readonly<Record<string, string>>) => {
  const parsed = loadConfiguration({
    VCP_HOST: '127.0.0.1',
    VCP_PORT: '0',
    VCP_DATA_DIR: join(root, 'data'),
    VCP_PLUGIN_DIRS: plugins,
    VCP_WATCH: 'false',
  });
  if (!parsed.ok) throw new Error(parsed.errors.map(({ name, message }) => `${name} ${message}`).join('; '));
  return startServer({
    configuration: parsed.configuration,
    limits: parsed.limits,
    logger: SILENT,
    environment: { ...process.env, ...configured },
    root: serverRoot,
    version: packageJson.version,
  });
};

const nothing = () => undefined;
const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
