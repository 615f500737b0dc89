import type { Limits } from '../../lib/limits.ts';
import type { TaskTokens } from '../../task/task-tokens.ts';

/** Where plugins reach this server, and the tokens that let them in. */
export type CallbackAddresses = {
  urlOf(toolName: string, taskId: string): string;
  /** A token for the callbacks of one task of one plugin, until a little after `expiresAt` (milliseconds since the epoch). */
  tokenOf(toolName: string, taskId: string, expiresAt: number): Promise<string>;
};

export type CallbackAddressOptions = {
  /** Where clients reach this server, without a slash at the end. Asked each time: it is known once the server listens. */
  baseUrl(): string;
  readonly tokens: TaskTokens;
  readonly limits: Pick<Limits, 'callbackSkewMs'>;
};

export const createCallbackAddresses = ({ baseUrl, tokens, limits }: CallbackAddressOptions): CallbackAddresses => ({
  urlOf: (toolName, taskId) => `${baseUrl()}/plugin-callback/${encodeURIComponent(toolName)}/${taskId}`,
  // A callback that is late by no more than clocks may differ is told what became of its task.
  tokenOf: (toolName, taskId, expiresAt) => tokens.sign({ toolName, taskId }, expiresAt + limits.callbackSkewMs),
});
