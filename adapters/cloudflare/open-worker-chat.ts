import type { CallForLater } from '../../src/chat/loop/block-calls.ts';
import { isPromptVariable } from '../../src/lib/variable-names.ts';
import type { LiveRegistry } from '../../src/registry/tool-registry.ts';
import type { ToolRuntimeDependencies } from '../../src/runtime/execute-request.ts';
import type { ToolRuntime } from '../../src/runtime/tool-runtime.ts';
import { openChat, type OpenChat } from '../../src/server/chat/open-chat.ts';
import { openRequestProcessing } from '../../src/server/chat/open-request-processing.ts';
import type { Configuration } from '../../src/server/configuration.ts';
import type { R2BucketLike } from '../r2/r2-bucket.ts';
import { createR2PromptFiles } from '../r2/r2-prompt-files.ts';

export type WorkerChatOptions = {
  readonly configuration: Configuration;
  /** All variables and secrets of the worker. */
  readonly variables: Readonly<Record<string, string>>;
  /** Prompts lie in it, beside the resources. */
  readonly bucket: R2BucketLike;
  readonly runtime: ToolRuntime;
  readonly runtimeParts: ToolRuntimeDependencies;
  readonly registry: LiveRegistry;
  readonly callLater: CallForLater | null;
};

/**
 * The chat endpoint of a worker. There are no static plugins: nothing runs between requests that would keep their
 * placeholders up to date.
 */
export const openWorkerChat = (options: WorkerChatOptions): OpenChat => {
  const { configuration, variables, bucket, runtime, runtimeParts, registry, callLater } = options;
  const settings = new Map(Object.entries(variables).filter(([name]) => isPromptVariable(name)));
  const requestProcessor = openRequestProcessing({
    configuration: () => configuration,
    registry,
    runtimeParts,
    placeholders: { find: () => Promise.resolve(null) },
    promptFiles: createR2PromptFiles(bucket, runtimeParts.limits.promptFileBytes),
    promptSettings: () => settings,
    timeZone: configuration.VCP_TIMEZONE ?? 'UTC',
  });
  return openChat({
    configuration,
    // The platform's own has no bounds of time; those of the upstream hold.
    fetch: (url, init) => fetch(url, init),
    model: null,
    runtime,
    runtimeParts,
    registry,
    blobs: runtimeParts.resources.store,
    requestProcessor,
    callLater,
  });
};
