import { z } from 'zod';
import { CanonicalToolResult } from './canonical-tool-result.ts';
import { RequestId } from './ids.ts';
import { PROTOCOL_VERSION } from './version.ts';

/** §12.3: failure lives in `result`, never beside it. */
export const BridgeEnvelope = z
  .strictObject({
    type: z.literal('vcp_tool_result'),
    protocolVersion: z.literal(PROTOCOL_VERSION),
    requestId: RequestId,
    result: CanonicalToolResult,
  })
  .meta({
    id: 'bridge-envelope',
    title: 'BridgeEnvelope',
    description: 'A result on its way across a bridge (§12.3).',
  });
export type BridgeEnvelope = z.infer<typeof BridgeEnvelope>;
