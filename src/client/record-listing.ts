import type { JsonObject } from '../protocol/json.ts';
import type { ToolStatus } from '../protocol/status.ts';

/** Which records: times are RFC 3339, `limit` is the most records of a page, `cursor` the `nextCursor` of the page before. */
export type RecordsQuery = {
  readonly tool?: string;
  readonly status?: ToolStatus;
  readonly actor?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly cursor?: string;
};

/** An audit record as it is listed; `audit` is the redacted projection of the call. */
export type RecordSummary = {
  readonly id: string;
  readonly resultId: string;
  readonly toolName: string;
  readonly command: string | null;
  readonly status: ToolStatus;
  readonly errorCode: string | null;
  readonly actor: string | null;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly audit: JsonObject;
};
export type RecordListing = { readonly records: readonly RecordSummary[]; readonly nextCursor: string | null };
