import { createChatService, type ChatService } from '../../chat/chat-service.ts';
import type { RequestProcessor } from '../../chat/create-request-processor.ts';
import { createBlockCalls, type CallForLater } from '../../chat/loop/block-calls.ts';
import { createFunctionCalls } from '../../chat/loop/function-calls.ts';
import { createRunTool } from '../../chat/loop/run-tool.ts';
import { storedMedia } from '../../chat/loop/stored-media.ts';
import { createUpstream } from '../../chat/models/create-upstream.ts';
import { createPassThrough, type PassThrough } from '../../chat/passthrough/pass-through.ts';
import { createPrepareMessages } from '../../chat/prepare-messages.ts';
import type { LanguageModel } from '../../ports/language-model.ts';
import type { ResourceStore } from '../../ports/resource-store.ts';
import type { ToolRegistry } from '../../registry/tool-registry.ts';
import type { ToolRuntimeDependencies } from '../../runtime/execute-request.ts';
import { noTelemetry } from '../../runtime/telemetry.ts';
import type { ToolRuntime } from '../../runtime/tool-runtime.ts';
import type { Configuration } from '../configuration.ts';
import type { UpstreamFetch } from '../../chat/models/transport/connection.ts';

export type OpenChatOptions = {
  readonly configuration: Configuration;
  /** How the upstream is asked. */
  readonly fetch: UpstreamFetch;
  /** In the place of the configured upstream. */
  readonly model: LanguageModel | null;
  readonly runtime: ToolRuntime;
  readonly runtimeParts: Pick<
    ToolRuntimeDependencies,
    'clock' | 'pause' | 'limits' | 'logger' | 'knownPaths' | 'addresses' | 'telemetry' | 'events'
  >;
  readonly registry: ToolRegistry;
  readonly blobs: ResourceStore;
  readonly requestProcessor: RequestProcessor;
  readonly callLater: CallForLater | null;
};

/** `service` is null when there is no model to ask, `passThrough` when there is no upstream. */
export type OpenChat = {
  readonly service: ChatService | null;
  readonly passThrough: PassThrough | null;
};

/** The chat endpoint's part of a server. */
export const openChat = (options: OpenChatOptions): OpenChat => {
  const { configuration, fetch, runtime, runtimeParts, registry, blobs } = options;
  const { limits, pause, logger, addresses, clock } = runtimeParts;
  const model = options.model ?? createUpstream(configuration, { ...runtimeParts, fetch });
  const passThrough = createPassThrough(configuration, { clock, limits, logger, fetch });
  if (model === null) return { service: null, passThrough };

  // Nobody outside fetches from an address that only this machine knows.
  const isPublic = configuration.VCP_PUBLIC_URL !== undefined;
  const runTool = createRunTool({
    ...runtimeParts,
    runtime,
    media: storedMedia({ blobs, addresses: isPublic ? addresses : null, clock, limits }),
  });
  const service = createChatService({
    model,
    registry,
    blockCalls: createBlockCalls({ runTool, registry, callLater: options.callLater, pause, limits }),
    functionCalls: createFunctionCalls(runTool),
    prepare: createPrepareMessages({
      processor: options.requestProcessor,
      toolPrompt: configuration.VCP_CHAT_TOOL_PROMPT,
      logger,
    }),
    toolUse: configuration.VCP_CHAT_TOOL_USE,
    display: configuration.VCP_CHAT_DISPLAY,
    media: configuration.VCP_CHAT_MEDIA,
    telemetry: runtimeParts.telemetry ?? noTelemetry(),
    logger,
    events: runtimeParts.events,
    runFenced: configuration.VCP_CHAT_RUN_FENCED,
    limits,
  });
  return { service, passThrough };
};
