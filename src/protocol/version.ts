import { z } from 'zod';

export const PROTOCOL_NAME = 'vcp.tool-result';
export const CALLBACK_PROTOCOL_NAME = 'vcp.tool-result-callback';
export const PROTOCOL_VERSION = '1.0';

/** Name and version of the protocol, as every canonical result and manifest states it (§5.3, §15). */
export const ProtocolIdentity = z.strictObject({
  name: z.literal(PROTOCOL_NAME),
  version: z.literal(PROTOCOL_VERSION),
});
export type ProtocolIdentity = z.infer<typeof ProtocolIdentity>;
