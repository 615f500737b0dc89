import { resolve } from 'node:path';
import { createPlaceholderService } from '../../src/chat/placeholders/placeholder-service.ts';
import type { RequestProcessor } from '../../src/chat/create-request-processor.ts';
import { startCron } from '../../src/lib/cron.ts';
import type { PluginKvStore } from '../../src/ports/plugin-kv-store.ts';
import { NO_APPROVAL_RULES } from '../../src/ports/approval-rules.ts';
import type { LiveRegistry } from '../../src/registry/tool-registry.ts';
import type { ToolRuntimeDependencies } from '../../src/runtime/execute-request.ts';
import { createToolRuntime } from '../../src/runtime/tool-runtime.ts';
import { openRequestProcessing } from '../../src/server/chat/open-request-processing.ts';
import type { LiveConfiguration } from '../../src/server/live-configuration.ts';
import { createFsPromptFiles } from '../fs/fs-prompt-files.ts';
import { promptSettings } from './prompt-settings.ts';

export type RequestProcessorOptions = {
  readonly live: LiveConfiguration;
  /** Where settings are read from beside the environment, or null. */
  readonly configurationFile: string | null;
  readonly environment: NodeJS.ProcessEnv;
  readonly dataDirectory: string;
  readonly registry: LiveRegistry;
  /** What the runtime of the tools is made of. */
  readonly runtimeParts: ToolRuntimeDependencies;
  readonly values: PluginKvStore;
};

/** What prepares chat requests on Node, with the static plugins that it asks from now on. */
export const openRequestProcessor = (
  options: RequestProcessorOptions,
): {
  readonly requestProcessor: RequestProcessor;
  /** Asks no static plugin any more, and breaks off those that are being asked. */
  stopAsking(): void;
  /** Waits for their end. */
  close(): Promise<void>;
} => {
  const { live, environment, registry, runtimeParts } = options;
  const configuration = live.current();
  const { clock, limits, logger, knownPaths, calls } = runtimeParts;
  const timeZone = configuration.VCP_TIMEZONE ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const statics = registry.only(new Set(['static']));
  // A refresh is nobody's call: only what was said last is kept of it, and nobody is told.
  const asking = createToolRuntime({
    ...runtimeParts,
    registry: statics,
    // Rules are for calls that somebody makes; here nobody could be told that one waits.
    approvalRules: NO_APPROVAL_RULES,
    calls: { ...calls, saveCall: () => Promise.resolve() },
    events: { emit: () => undefined },
  });
  const placeholders = createPlaceholderService({
    plugins: statics.list,
    run: ({ manifest }) =>
      asking.execute({
        toolName: manifest.name,
        arguments: {},
        context: {
          source: 'scheduler',
          actor: { type: 'system', id: null, name: 'placeholders', maid: null },
          owner: 'placeholders',
        },
      }),
    values: options.values,
    startCron: (pattern, work) => startCron(pattern, timeZone, work),
    knownPaths,
    limits,
    logger,
  });
  placeholders.sync();
  const unwatch = registry.onReplaced(placeholders.sync);

  const requestProcessor = openRequestProcessing({
    configuration: live.current,
    registry,
    runtimeParts,
    placeholders,
    promptFiles: createFsPromptFiles(
      resolve(configuration.VCP_PROMPT_DIR ?? resolve(options.dataDirectory, 'prompts')),
      limits.promptFileBytes,
    ),
    promptSettings: promptSettings(environment, options.configurationFile, clock.now, logger),
    timeZone,
  });
  return {
    requestProcessor,
    stopAsking: () => {
      unwatch();
      placeholders.close();
      asking.cancelRunning();
    },
    close: async () => {
      await asking.idle();
      await placeholders.idle();
    },
  };
};
