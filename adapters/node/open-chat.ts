import { createChatService, type ChatService } from '../../src/chat/chat-service.ts';
import type { RequestProcessor } from '../../src/chat/create-request-processor.ts';
import { createBlockCalls, type CallForLater } from '../../src/chat/loop/block-calls.ts';
import { createFunctionCalls } from '../../src/chat/loop/function-calls.ts';
import { createRunTool } from '../../src/chat/loop/run-tool.ts';
import { storedMedia } from '../../src/chat/loop/stored-media.ts';
import { createUpstream } from '../../src/chat/models/create-upstream.ts';
import { createPassThrough, type PassThrough } from '../../src/chat/passthrough/pass-through.ts';
import { createPrepareMessages } from '../../src/chat/prepare-messages.ts';
import type { LanguageModel } from '../../src/ports/language-model.ts';
import type { ResourceStore } from '../../src/ports/resource-store.ts';
import type { ToolRegistry } from '../../src/registry/tool-registry.ts';
import type { ToolRuntimeDependencies } from '../../src/runtime/execute-request.ts';
import { noTelemetry } from '../../src/runtime/telemetry.ts';
import type { ToolRuntime } from '../../src/runtime/tool-runtime.ts';
import type { Configuration } from '../../src/server/configuration.ts';
import { createUpstreamFetch } from './upstream-fetch.ts';

export type ChatOptions = {
  readonly configuration: Configuration;
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
  close(): Promise<void>;
};

/** The chat endpoint's part of a server on Node. */
export const openChat = (options: ChatOptions): OpenChat => {
  const { configuration, runtime, runtimeParts, registry, blobs } = options;
  const { limits, pause, logger, addresses, clock } = runtimeParts;
  const upstream = createUpstreamFetch();
  const model = options.model ?? createUpstream(configuration, { ...runtimeParts, fetch: upstream.fetch });
  const passThrough = createPassThrough(configuration, { clock, limits, logger, fetch: upstream.fetch });
  if (model === null) return { service: null, passThrough, close: upstream.close };

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
  return { service, passThrough, close: upstream.close };
};
