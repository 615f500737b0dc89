import type { PluginLocation } from '../../../src/ports/transport.ts';
import type { SandboxModule } from '../../../src/ports/wasm-sandbox.ts';

/** A plugin as it goes into a worker, or why it does not. */
export type EdgePlugin = {
  /** Null where the manifest says none that can be used. */
  readonly name: string | null;
  readonly location: string;
  /** The manifest's text. */
  readonly manifest: string;
  readonly refusal: string | null;
  readonly configuration: Readonly<Record<string, string>>;
  readonly code: EdgeCode | null;
};

export type EdgeCode =
  | { readonly type: 'guest'; readonly guest: SandboxModule & { readonly bytes: Uint8Array<ArrayBuffer> } }
  | { readonly type: 'module'; readonly path: string };

/** What a look at a plugin's code gave. */
export type EdgeVerdict = { readonly code: EdgeCode } | { readonly refusal: string };

export type JudgeCode = (plugin: PluginLocation) => Promise<EdgeVerdict>;
