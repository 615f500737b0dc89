import type { RefusedPlugin } from '../protocol/tool-description.ts';
import type { PluginDefinition } from './plugin-definition.ts';

/** The version of a plugin that takes calls, or would if it were switched on. */
export type ServedVersion = {
  readonly definition: PluginDefinition;
  readonly revision: string;
  /** Milliseconds since the epoch. */
  readonly loadedAt: number;
  /** Whether an operator said that it is on or off, or only its manifest. */
  readonly switchedBy: 'operator' | 'manifest';
};

/** A place where a plugin was found. With both, an earlier version goes on because the newest is refused. */
export type PluginEntry = {
  readonly location: string;
  readonly version: ServedVersion | null;
  readonly refused: RefusedPlugin | null;
};

/** All plugins at one moment. It is never changed, only replaced whole, so that every reader sees one state. */
export type RegistrySnapshot = {
  /** By name, in order of name; those that serve in other ways than by being called are among them. */
  readonly tools: ReadonlyMap<string, PluginDefinition>;
  /** In the order in which they were found. */
  readonly entries: readonly PluginEntry[];
};

export const EMPTY_SNAPSHOT: RegistrySnapshot = { tools: new Map(), entries: [] };
