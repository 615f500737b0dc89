import type { Context as TraceContext } from '@opentelemetry/api';

import type { KeyRole } from '../../protocol/api-keys.ts';
import type { Actor } from '../../protocol/invocation.ts';

/** On whose behalf a conversation calls tools. */
export type ChatCaller = {
  readonly owner: string;
  /** Whose roles decide what is shown of a result, and whether a person is asked first. */
  readonly viewer: { readonly roles: ReadonlySet<KeyRole> };
  readonly actor: Actor;
  readonly requestId: string;
  readonly requestIp: string | null;
  readonly trace?: TraceContext;
  maySee(owner: string): boolean;
  /** Whether the caller may use the tool at all, in this conversation. */
  isOffered(toolName: string): boolean;
  /** Counts a call of the tool against its rates: why it may not go on, or null. */
  refuseCall(toolName: string): string | null;
};
