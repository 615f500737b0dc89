import type {
  Approval,
  ApprovalDecision,
  ApprovalListing,
  ApprovalState,
  ApprovalSummary,
} from '../protocol/approval.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import type { CollectionReport } from '../protocol/collection-report.ts';
import type { InvocationOptions, ResultView } from '../protocol/invocation.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { PluginListing, PluginReload, PluginStatus } from '../protocol/plugin-listing.ts';
import type { ProgressEvent } from '../protocol/progress-event.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import type { Schedule, ScheduleDetails, ScheduleListing, ScheduleState } from '../protocol/schedule.ts';
import type { CommandPorts, ToolDescription, ToolListing } from '../protocol/tool-description.ts';
import type { VcpEvent } from '../protocol/event.ts';
import type { EventTicket } from '../protocol/push.ts';
import { VcpProblem, VcpUnreachable } from './client-errors.ts';
import { createConversations, type Conversations } from './conversations.ts';
import { eventFeed, type EventsOptions } from './event-feed.ts';
import { createHttpConnection, isEventStream, type Cancellable, type ConnectionOptions } from './http-connection.ts';
import { readCallStream } from './read-call-stream.ts';
import type { RecordListing, RecordsQuery, RecordSummary } from './record-listing.ts';
import type { ResourceContent } from './resource-content.ts';
import { searchOf } from './search-of.ts';
import { createTaskCalls, type TaskCalls } from './task-calls.ts';

export { VcpProblem, VcpUnreachable };

export type VcpClientOptions = ConnectionOptions & {
  /** The model of conversations that name none. */
  readonly model?: string;
};

/** What a result page asks for: a part of a view, `limit` items, fields or characters from `offset`. */
export type ResultQuery = {
  readonly view?: ResultView;
  readonly pointer?: string;
  readonly offset?: number;
  readonly limit?: number;
  /** Of the AI view: what its text (200,000 characters at most) and its resources may come to, and what the model takes in. */
  readonly maxCharacters?: number;
  readonly maxResources?: number;
  readonly vision?: boolean;
  readonly audio?: boolean;
  readonly execution?: boolean;
};

export type CallOptions = InvocationOptions & {
  readonly signal?: AbortSignal;
  /** 1 to 255 characters of printable ASCII: repeated calls under the same key are one call with one result. */
  readonly idempotencyKey?: string;
  /** Told of the call's progress. With it the answer comes as a stream, so that no proxy thinks a long call dead. */
  readonly onProgress?: (event: ProgressEvent) => void;
  /** Told when the call waits for a person's approval; the answer is a stream then too. */
  readonly onApproval?: (approval: ApprovalSummary) => void;
  /** Wait for nobody: a call that needs approval is answered `accepted`, and goes on as a task. */
  readonly respondAsync?: boolean;
};

/** Which approvals: `limit` is the most of a page, `cursor` the `nextCursor` of the page before. */
export type ApprovalsQuery = {
  readonly state?: ApprovalState;
  readonly limit?: number;
  readonly cursor?: string;
};

/** `ScheduleRequest` of the protocol; what is undefined is left out. */
export type NewSchedule = {
  readonly tool: string;
  readonly arguments?: JsonObject;
  readonly label?: string | undefined;
  readonly at?: string | undefined;
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly startAt?: string | undefined;
  readonly endAt?: string | undefined;
  readonly maxRuns?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly missed?: Schedule['missed'] | undefined;
  readonly overlap?: Schedule['overlap'] | undefined;
};

export type SchedulesQuery = {
  readonly tool?: string;
  readonly state?: ScheduleState;
  readonly limit?: number;
  readonly cursor?: string;
};

export type ServerVersion = { readonly name: string; readonly version: string; readonly protocol: { version: string } };

export type UploadBody = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export type UploadOptions = Cancellable & {
  readonly fileName?: string | undefined;
  /** What the file is taken for where its bytes do not say; by default the server goes by its name. */
  readonly mimeType?: string | undefined;
};

/** A typed client of the HTTP surface, on anything that has `fetch`. */
export type VcpClient = ServerCalls & Conversations & TaskCalls;

/** Tools, results, records, resources and the server itself. */
type ServerCalls = {
  /** Runs a tool. A tool's failure is a result with its error; only requests that were not calls raise `VcpProblem`. */
  callTool(tool: string, args: JsonObject, options?: CallOptions): Promise<CanonicalToolResult>;
  /** Calls that need approval, newest first: the key's own, or all for operators. */
  listApprovals(query?: ApprovalsQuery, options?: Cancellable): Promise<ApprovalListing>;
  /** An approval with exactly what would run. */
  getApproval(id: string): Promise<Approval>;
  /** Decides, once; for operators. */
  decideApproval(id: string, decision: ApprovalDecision): Promise<Approval>;
  listTools(options?: Cancellable & { readonly refused?: boolean }): Promise<ToolListing>;
  getTool(name: string, options?: Cancellable): Promise<ToolDescription>;
  /** Where connections of a workflow lead to and start from. */
  getPorts(tool: string, command: string, options?: Cancellable): Promise<CommandPorts>;
  getResult(id: string, query?: ResultQuery): Promise<unknown>;
  listRecords(query?: RecordsQuery, options?: Cancellable): Promise<RecordListing>;
  getRecord(id: string): Promise<RecordSummary>;
  getResource(id: string, options?: Cancellable): Promise<ResourceContent>;
  /** Keeps a file on the server. A stream is sent as it comes; a Blob of a file is read as it is sent. */
  uploadResource(body: UploadBody, options?: UploadOptions): Promise<ResourceDescriptor>;
  /** The descriptor with an address that opens the resource without a key for so many milliseconds, ten minutes by default. */
  createResourceLink(
    id: string,
    options?: Cancellable & { readonly expiresInMs?: number },
  ): Promise<ResourceDescriptor>;
  /** Removes what has had its time, or counts it; for operators. */
  collectGarbage(options?: Cancellable & { readonly dryRun?: boolean }): Promise<CollectionReport>;
  /**
   * What happens, as it happens, in order and each event once; connections that break are opened again. Ends by leaving
   * the loop, or with the reason of the signal.
   */
  events(options?: EventsOptions): AsyncIterableIterator<VcpEvent>;
  /** A ticket that opens `/v1/ws` or `/v1/events` once within a minute: hand it to a page in a browser. */
  createTicket(options?: Cancellable): Promise<EventTicket>;
  getVersion(options?: Cancellable): Promise<ServerVersion>;
  /** Has a call made later; the server checks it now. */
  createSchedule(request: NewSchedule): Promise<Schedule>;
  /** Newest first. */
  listSchedules(query?: SchedulesQuery, options?: Cancellable): Promise<ScheduleListing>;
  /** A schedule with a page of its runs, newest first. */
  getSchedule(id: string, query?: { readonly limit?: number; readonly cursor?: string }): Promise<ScheduleDetails>;
  cancelSchedule(id: string): Promise<Schedule>;
  /** Every plugin that the server found; for operators, as are the two that follow. */
  listPlugins(options?: Cancellable): Promise<PluginListing>;
  /** Reads changed plugins and configuration now. */
  reloadPlugins(): Promise<PluginReload>;
  /** Switches a plugin on or off; null leaves it to its manifest again. */
  setPluginEnabled(name: string, enabled: boolean | null): Promise<PluginStatus>;
};

export const createVcpClient = ({ model, ...server }: VcpClientOptions): VcpClient => {
  const connection = createHttpConnection(server);
  const { base, send, jsonOf, get, faultOf } = connection;
  return {
    ...createConversations(connection, model),
    ...createTaskCalls(connection),
    callTool: async (
      tool,
      args,
      { signal, onProgress, onApproval, respondAsync = false, idempotencyKey, ...options } = {},
    ) => {
      const isStreamed = onProgress !== undefined || onApproval !== undefined;
      const response = await send('/v1/human/tool', {
        method: 'POST',
        body: JSON.stringify({ tool, arguments: args, options }),
        headers: {
          ...(isStreamed ? { accept: 'text/event-stream, application/json;q=0.5' } : {}),
          ...(respondAsync ? { prefer: 'respond-async' } : {}),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': quoted(idempotencyKey) }),
        },
        ...(signal === undefined ? {} : { signal }),
      });
      // A server that streams nothing answers with JSON, and so does every refusal.
      if (!isEventStream(response)) return (await jsonOf(response, signal)) as CanonicalToolResult;
      const end = await readCallStream(response.body, { onProgress, onApproval }, signal);
      if (end?.event === 'result') return end.data as CanonicalToolResult;
      if (end !== null) throw faultOf(response, end.data);
      throw new VcpUnreachable(
        `the connection to ${base} broke off before the result came; vcp records shows whether the call was made`,
      );
    },
    listApprovals: async (query = {}, { signal } = {}) =>
      (await get(`/v1/approvals${searchOf(query)}`, { signal })) as ApprovalListing,
    getApproval: async (id) => (await get(`/v1/approvals/${encodeURIComponent(id)}`)) as Approval,
    decideApproval: async (id, decision) =>
      (await jsonOf(
        await send(`/v1/approvals/${encodeURIComponent(id)}`, { method: 'POST', body: JSON.stringify(decision) }),
      )) as Approval,
    listTools: async ({ refused = false, signal } = {}) =>
      (await get(`/v1/tools${refused ? '?include=refused' : ''}`, { signal })) as ToolListing,
    getTool: async (name, { signal } = {}) =>
      (await get(`/v1/tools/${encodeURIComponent(name)}`, { signal })) as ToolDescription,
    getPorts: async (tool, command, { signal } = {}) =>
      (await get(`/v1/tools/${encodeURIComponent(tool)}/commands/${encodeURIComponent(command)}/ports`, {
        signal,
      })) as CommandPorts,
    getResult: (id, query = {}) => get(`/v1/results/${encodeURIComponent(id)}${searchOf(query)}`),
    listRecords: async (query = {}, { signal } = {}) =>
      (await get(`/v1/records${searchOf(query)}`, { signal })) as RecordListing,
    getRecord: async (id) => (await get(`/v1/records/${encodeURIComponent(id)}`)) as RecordSummary,
    getResource: async (id, { signal } = {}) => {
      const response = await send(`/v1/resources/${encodeURIComponent(id)}`, {
        headers: { accept: '*/*' },
        ...(signal === undefined ? {} : { signal }),
      });
      if (!response.ok || response.body === null) throw faultOf(response, await response.json().catch(() => null));
      return {
        body: response.body,
        contentType: response.headers.get('content-type') ?? 'application/octet-stream',
        contentDisposition: response.headers.get('content-disposition') ?? '',
        sha256: /^"([0-9a-f]{64})"$/.exec(response.headers.get('etag') ?? '')?.[1] ?? null,
      };
    },
    uploadResource: async (body, { fileName, mimeType = 'application/octet-stream', signal } = {}) => {
      const response = await send(`/v1/resources${searchOf({ fileName })}`, {
        method: 'POST',
        body,
        headers: { 'content-type': mimeType },
        // What fetch wants for a body that is a stream.
        duplex: 'half',
        ...(signal === undefined ? {} : { signal }),
      } as RequestInit);
      return (await jsonOf(response, signal)) as ResourceDescriptor;
    },
    createResourceLink: async (id, { expiresInMs, signal } = {}) => {
      const response = await send(`/v1/resources/${encodeURIComponent(id)}/links`, {
        method: 'POST',
        body: JSON.stringify({ expiresInMs }),
        ...(signal === undefined ? {} : { signal }),
      });
      return (await jsonOf(response, signal)) as ResourceDescriptor;
    },
    collectGarbage: async ({ dryRun = false, signal } = {}) => {
      const init = { method: 'POST', ...(signal === undefined ? {} : { signal }) };
      return (await jsonOf(
        await send(`/v1/resources/gc${dryRun ? '?dryRun=true' : ''}`, init),
        signal,
      )) as CollectionReport;
    },
    events: (options = {}) =>
      eventFeed(
        {
          open: async (query, signal) => {
            const headers = { accept: 'text/event-stream' };
            const response = await send(`/v1/events${searchOf(query)}`, { signal, headers });
            if (isEventStream(response)) return response.body;
            throw faultOf(response, await response.json().catch(() => null));
          },
          retryAfter: (fault) => {
            if (fault instanceof VcpUnreachable) return 0;
            const isPassing =
              fault instanceof VcpProblem && (fault.problem.status >= 500 || fault.problem.status === 429);
            return isPassing ? PASSING_WAIT_MS : null;
          },
        },
        options,
      ),
    createTicket: async ({ signal } = {}) =>
      (await jsonOf(
        await send('/v1/tickets', { method: 'POST', ...(signal === undefined ? {} : { signal }) }),
        signal,
      )) as EventTicket,
    createSchedule: async (request) =>
      (await jsonOf(await send('/v1/schedules', { method: 'POST', body: JSON.stringify(request) }))) as Schedule,
    listSchedules: async (query = {}, { signal } = {}) =>
      (await get(`/v1/schedules${searchOf(query)}`, { signal })) as ScheduleListing,
    getSchedule: async (id, query = {}) =>
      (await get(`/v1/schedules/${encodeURIComponent(id)}${searchOf(query)}`)) as ScheduleDetails,
    cancelSchedule: async (id) =>
      (await jsonOf(await send(`/v1/schedules/${encodeURIComponent(id)}`, { method: 'DELETE' }))) as Schedule,
    getVersion: async ({ signal } = {}) => (await get('/version', { signal })) as ServerVersion,
    listPlugins: async (options) => (await get('/v1/plugins', options)) as PluginListing,
    reloadPlugins: async () => (await jsonOf(await send('/v1/plugins/reload', { method: 'POST' }))) as PluginReload,
    setPluginEnabled: async (name, enabled) => {
      const body = JSON.stringify({ enabled });
      return (await jsonOf(
        await send(`/v1/plugins/${encodeURIComponent(name)}`, { method: 'PATCH', body }),
      )) as PluginStatus;
    },
  };
};

/** Milliseconds to wait for a server that is full, starts or stops. */
const PASSING_WAIT_MS = 2_000;

/** A structured-field string (RFC 9651 §3.3.3). */
const quoted = (key: string): string => `"${key.replaceAll(/["\\]/g, '\\$&')}"`;
