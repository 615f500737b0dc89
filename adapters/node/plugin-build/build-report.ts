/** What a build made. */
export type BuildReport = {
  readonly language: 'assemblyscript' | 'javascript';
  /** Absolute path of the module. */
  readonly file: string;
  readonly sizeBytes: number;
  /** Lower-case hex: the same source gives the same bytes. */
  readonly sha256: string;
  readonly durationMs: number;
};

export type BuildOptions = {
  /** Where the module goes, from the plugin's folder on; the manifest's `entryPoint.file` when left out. */
  readonly outFile?: string;
  /** How long the top level of a plugin in JavaScript may run; 10,000 when left out. */
  readonly topLevelMs?: number;
};

/** What is wrong with the source of a plugin, in words for its author; the message may have several lines. */
export class PluginBuildError extends Error {
  override readonly name = 'PluginBuildError';
}
