import process from 'node:process';
import { readConfiguration } from '../../read-configuration.ts';
import type { ConnectOptions } from '../connect.ts';
import { checkApprovalRules } from './check-approval-rules.ts';
import { checkCapabilities } from './check-capabilities.ts';
import { checkDataDirectory } from './check-data-directory.ts';
import { checkPlugins } from './check-plugins.ts';
import { checkServer } from './check-server.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

const MINIMUM_NODE_MAJOR = 24;

/** Everything that the doctor looks at, in the order in which it would be mended. */
export const examine = async (options: ConnectOptions): Promise<Finding[]> => {
  const node = checkNode(process.versions.node);
  const loaded = readConfiguration(process.env);
  // Without a configuration nobody knows where to look.
  if (!loaded.ok)
    return [
      node,
      ...loaded.errors.map(({ name, message }) => fail('configuration', `${name} ${message}`, `correct ${name}`)),
    ];
  const { configuration, limits, warnings } = loaded;
  const server = await checkServer(options, configuration);
  return [
    node,
    ...(warnings.length === 0
      ? [ok('configuration', 'valid; "vcp config" prints it')]
      : warnings.map(({ name, message }) => warn('configuration', `${name} ${message}`, `correct or remove ${name}`))),
    ...checkCapabilities(),
    ...checkDataDirectory(configuration, limits),
    ...checkApprovalRules(configuration, limits),
    ...server.findings,
    ...(await checkPlugins(configuration, limits, server.isRunning)),
  ];
};

const checkNode = (version: string): Finding =>
  Number(version.split('.')[0]) >= MINIMUM_NODE_MAJOR
    ? ok('Node.js', version)
    : fail('Node.js', `${version} is too old`, `start vcp by its launcher, or install Node.js ${MINIMUM_NODE_MAJOR}`);
