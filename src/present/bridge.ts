import type { BridgeEnvelope } from '../protocol/bridge-envelope.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import { PROTOCOL_VERSION } from '../protocol/version.ts';

/** §12.3: one envelope around the result. A failure is in `result`, and nowhere else. */
export const presentBridge = (result: CanonicalToolResult): BridgeEnvelope => ({
  type: 'vcp_tool_result',
  protocolVersion: PROTOCOL_VERSION,
  requestId: result.execution.requestId,
  result,
});
