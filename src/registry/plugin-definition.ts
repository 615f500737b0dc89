import type { SchemaValidator } from '../lib/json-schema.ts';
import type { InvocationCommand, PluginManifest } from '../protocol/manifest.ts';

/** A command with its schemas compiled. */
export type CommandDefinition = {
  readonly command: InvocationCommand;
  readonly input: SchemaValidator;
  readonly output: SchemaValidator;
  /** Whether the input schema declares arguments that are resources. */
  readonly takesResources: boolean;
  /** The codes that the manifest declares beside the standard ones; null when it declares none at all. */
  readonly declaredErrorCodes: ReadonlySet<string> | null;
};

/** A plugin that was accepted. `directory` is null for one without files. */
export type PluginDefinition = {
  readonly manifest: PluginManifest;
  readonly directory: string | null;
  /** Whether calls are taken: the operator's word, or else the manifest's. */
  readonly enabled: boolean;
  /** The same for the same state of the plugin and of all its files; empty until it is served. */
  readonly revision: string;
  readonly commands: ReadonlyMap<string, CommandDefinition>;
};
