import { hashJson } from '../lib/hash-json.ts';
import type { ExecuteRequest } from './execute-request.ts';

/**
 * What a call asks for, as the SHA-256 of its canonical JSON (RFC 8785): the order of its fields does not count. The
 * view is not part of it, nor is the caller's patience: a repeated call may have less time, and still is the same.
 * Arguments must have been checked to be JSON.
 */
export const fingerprintCall = ({ toolName, arguments: args, options, context }: ExecuteRequest): Promise<string> => {
  const { actor = null } = context;
  const asked = {
    tool: toolName,
    arguments: args,
    approval: options?.approval ?? null,
    record: options?.record ?? null,
    // The tool is told on whose behalf it acts. A name is only how that one is called today.
    actor: actor === null ? null : { type: actor.type, id: actor.id, maid: actor.maid },
  };
  return hashJson(asked);
};
