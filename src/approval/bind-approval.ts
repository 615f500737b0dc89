import { hashJson, hashText } from '../lib/hash-json.ts';
import type { HeldResource } from '../ports/approval-store.ts';
import type { Actor, Conversation } from '../protocol/invocation.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { PluginDefinition } from '../registry/plugin-definition.ts';

/** What an approval is given for. */
export type BoundCall = {
  readonly plugin: PluginDefinition;
  readonly command: string;
  readonly arguments: JsonObject;
  readonly resources: readonly Pick<HeldResource, 'id' | 'sha256'>[];
  readonly conversation: Conversation | null;
  readonly actor: Actor | null;
};

/**
 * The SHA-256 of the canonical JSON of a call: of the tool in the state of its files, its command, its arguments with the
 * bytes of the resources among them, what it is handed of a conversation, and on whose behalf it acts. An approval is good for this and nothing else.
 */
export const bindApproval = async ({
  plugin,
  command,
  arguments: args,
  resources,
  conversation,
  actor,
}: BoundCall): Promise<string> =>
  hashJson({
    tool: plugin.manifest.name,
    version: plugin.manifest.version,
    digest: await digestOfPlugin(plugin),
    command,
    arguments: args,
    resources: resources.map(({ id, sha256 }) => ({ id, sha256 })).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    conversation,
    actor,
  });

/** The state of a plugin and all its files, in a form of its own that says nothing of them. */
export const digestOfPlugin = ({ revision }: Pick<PluginDefinition, 'revision'>): Promise<string> => hashText(revision);
