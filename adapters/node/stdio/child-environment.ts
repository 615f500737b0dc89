import process from 'node:process';

/** What a child may inherit. Everything else in the host's environment may be a secret. */
const INHERITED = [
  'PATH',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'SystemRoot',
  'ComSpec',
  'PATHEXT',
  'TEMP',
  'TMP',
];

/**
 * The environment of a plugin's process: the few variables above, what the protocol promises, and the plugin's own
 * declared configuration. `HOME` is the plugin's data directory, so that no tool finds the operator's credentials.
 */
export const childEnvironment = (options: {
  readonly dataDirectory: string;
  readonly mode: 'oneshot' | 'worker';
  readonly configuration: Readonly<Record<string, string>>;
}): Record<string, string> => {
  const environment: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return {
    ...environment,
    // §11.1: stdout is UTF-8, also where the locale says otherwise.
    PYTHONUTF8: '1',
    ...options.configuration,
    HOME: options.dataDirectory,
    VCP_PLUGIN_DATA_DIR: options.dataDirectory,
    VCP_STDIO_MODE: options.mode,
  };
};
