import { createRequestProcessor } from '../../src/chat/create-request-processor.ts';
import type { CallForLater } from '../../src/chat/loop/block-calls.ts';
import { writeExampleRequest } from '../../src/chat/tools/write-example-request.ts';
import { isPromptVariable } from '../../src/lib/variable-names.ts';
import type { LiveRegistry } from '../../src/registry/tool-registry.ts';
import { taskText } from '../../src/runtime/async-placeholder.ts';
import type { ToolRuntimeDependencies } from '../../src/runtime/execute-request.ts';
import { createToolPlaces } from '../../src/runtime/tool-places.ts';
import type { ToolRuntime } from '../../src/runtime/tool-runtime.ts';
import { openChat, type OpenChat } from '../../src/server/chat/open-chat.ts';
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
  const { clock, limits, logger, ids, knownPaths, calls, tasks, transports, resources } = runtimeParts;
  const settings = new Map(Object.entries(variables).filter(([name]) => isPromptVariable(name)));
  const preprocessing = registry.only(new Set(['messagePreprocessor']));
  const requestProcessor = createRequestProcessor({
    registry,
    placeholders: { find: () => Promise.resolve(null) },
    taskResult: (toolName, taskId, { owner }) => {
      const viewer = { roles: new Set<string>(), maySee: (other: string) => other === owner };
      return taskText({ toolName, taskId }, viewer, { tasks: tasks.store, calls, knownPaths, limits });
    },
    promptFiles: createR2PromptFiles(bucket, limits.promptFileBytes),
    promptSettings: () => settings,
    preprocessors: {
      registry: preprocessing,
      names: () => configuration.VCP_PREPROCESSORS,
      required: () => configuration.VCP_REQUIRED_PREPROCESSORS,
      transports,
      places: createToolPlaces(preprocessing, limits),
      ids,
      clock,
      limits,
      logger,
    },
    writeToolRequest: writeExampleRequest,
    expandedRoles: configuration.VCP_EXPAND_ROLES,
    timeZone: configuration.VCP_TIMEZONE ?? 'UTC',
    locale: configuration.VCP_LOCALE,
    clock,
    limits,
  });
  return openChat({
    configuration,
    // The platform's own has no bounds of time; those of the upstream hold.
    fetch: (url, init) => fetch(url, init),
    model: null,
    runtime,
    runtimeParts,
    registry,
    blobs: resources.store,
    requestProcessor,
    callLater,
  });
};
