import type { LogFields } from '../../ports/logger.ts';
import type { TaskTokenClaims } from '../../task/verify-task-token.ts';
import type { CallbackContent, CallbackVerdict } from './callback-verdict.ts';

/** A task as callbacks reach it. */
export type CallbackAddressee = {
  readonly taskId: string;
  readonly toolName: string;
  /** What else the log tells its callbacks by. */
  readonly ids: LogFields;
  /** Takes a callback whose envelope is right; `webhookId` is null where its sender could give none. */
  receive(content: CallbackContent, webhookId: string | null): Promise<CallbackVerdict>;
};

/** Where callbacks go when their token was right. */
export type CallbackReceiver = {
  /** The task of that id, or null where there is none; whether it is that of the token is the caller's to see. */
  find(
    taskId: string,
    token: { readonly claims: TaskTokenClaims; readonly expiresAt: number },
  ): Promise<CallbackAddressee | null>;
};
