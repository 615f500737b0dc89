// What `vcp-runtime/client` gives: a client of the server for Node, Deno, Workers and browsers.
export type { ChatAnswer, ChatFunctionCall, ChatStreamEvent, ChatUsage } from './chat-answer.ts';
export { VcpProblem, VcpUnreachable } from './client-errors.ts';
export type { ClientMessage, Conversations, OfferedModel, SendRequest } from './conversations.ts';
export type { RecordListing, RecordsQuery, RecordSummary } from './record-listing.ts';
export type { ResourceContent } from './resource-content.ts';
export type { TaskCalls, WaitOptions } from './task-calls.ts';
export type { TaskDescription, TaskListing } from '../protocol/task-listing.ts';
export type { TasksQuery } from './task-calls.ts';
export {
  createVcpClient,
  type CallOptions,
  type ResultQuery,
  type ServerVersion,
  type UploadBody,
  type UploadOptions,
  type VcpClient,
  type VcpClientOptions,
} from './vcp-client.ts';
export { VCPClient } from './vcp-client-constructor.ts';
