import { readPluginConfiguration } from '../../../adapters/node/plugin-configuration.ts';
import { childEnvironment } from '../../../adapters/node/stdio/child-environment.ts';
import { startChild } from '../../../adapters/node/stdio/child-process.ts';
import { resolveInterpreter } from '../../../adapters/node/stdio/resolve-interpreter.ts';
import { DEFAULT_LIMITS } from '../../../src/lib/limits.ts';
import type { PluginLocation } from '../../../src/ports/transport.ts';
import { StdoutFrame, type ToolInvocationFrame } from '../../../src/protocol/stdio-frame.ts';
import type { PluginUnderTest } from './bundled-plugins.ts';

/** The defaults of what the manifest declares, and what the cases set: nothing of this machine's environment. */
export const declaredConfiguration = (
  plugin: PluginLocation,
  configuration: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const read = readPluginConfiguration(plugin, {}, configuration);
  if (!read.ok) throw new Error(`${plugin.manifest.name}: ${read.reason}`);
  return read.values;
};

/**
 * Starts the plugin as the transport does and gives back every byte of its stdout: the frame reader forgives a byte
 * order mark, CRLF and empty lines, the contract of a plugin does not.
 */
export const readRawStdout = async (
  plugin: PluginUnderTest,
  frame: ToolInvocationFrame,
  dataDirectory: string,
): Promise<Buffer> => {
  const { entryPoint } = plugin.definition.manifest;
  if (entryPoint.type !== 'command') throw new Error(`${plugin.name} is not started by a command`);
  const chunks: Uint8Array[] = [];
  const spec = {
    command: await resolveInterpreter(entryPoint.command),
    args: entryPoint.args,
    cwd: plugin.directory,
    env: childEnvironment({
      dataDirectory,
      mode: 'oneshot',
      configuration: declaredConfiguration(plugin.definition, plugin.configuration),
    }),
  };
  const child = startChild(spec, DEFAULT_LIMITS, (chunk) => chunks.push(new Uint8Array(chunk)));
  try {
    child.write(`${JSON.stringify(frame)}\n`);
    child.endInput();
    await child.closed;
    return Buffer.concat(chunks);
  } finally {
    await child.stop();
  }
};

/** What there is on stdout beside frames (§11.1): `progress` lines, then exactly one `tool-result`, each ended by LF. */
export const stdoutFaults = (bytes: Uint8Array): string[] => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return ['stdout is not UTF-8'];
  }
  if (!text.endsWith('\n')) return ['the last line of stdout is not ended'];
  const lines = text.slice(0, -1).split('\n');
  const kinds = lines.map(frameKind);
  const faults = kinds.flatMap((kind, index) =>
    kind === null ? [`line ${index + 1} is no frame: ${lines[index]?.slice(0, 80)}`] : [],
  );
  if (kinds.filter((kind) => kind === 'tool-result').length !== 1)
    faults.push('there is not exactly one tool-result frame');
  else if (kinds.at(-1) !== 'tool-result') faults.push('something follows the tool-result frame');
  return faults;
};

const frameKind = (line: string): StdoutFrame['vcp'] | null => {
  try {
    return StdoutFrame.parse(JSON.parse(line)).vcp;
  } catch {
    return null;
  }
};
