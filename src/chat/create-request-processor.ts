import type { Clock } from '../ports/clock.ts';
import type { PromptFiles } from '../ports/prompt-files.ts';
import type { Limits } from '../lib/limits.ts';
import type { ToolRegistry } from '../registry/tool-registry.ts';
import type { PlaceholderService } from './placeholders/placeholder-service.ts';
import { prepareRequest, type ChatContext, type ChatRequest, type PreparedRequest } from './prepare-request.ts';
import { runPreprocessors, type PreprocessorsDependencies } from './preprocess/run-preprocessors.ts';
import type { ToolRequestWriter } from './tools/describe-tool-for-model.ts';
import { modelWords } from './tools/model-words.ts';
import { createToolVariables } from './tools/tool-variables.ts';
import { placeholderVariables } from './variables/placeholder-variables.ts';
import { promptVariables } from './variables/prompt-variables.ts';
import { taskResultVariables, type TaskResultResolver } from './variables/task-result-variables.ts';
import { timeVariables } from './variables/time-variables.ts';

export type RequestProcessorDependencies = {
  /** The tools that can be called. */
  readonly registry: Pick<ToolRegistry, 'get' | 'list'>;
  readonly placeholders: Pick<PlaceholderService, 'find'>;
  readonly taskResult: TaskResultResolver;
  readonly promptFiles: PromptFiles;
  /** The operator's `Tar…`, `Var…` and `Sar…` settings as they are now. */
  promptSettings(): ReadonlyMap<string, string>;
  readonly preprocessors: PreprocessorsDependencies;
  readonly writeToolRequest: ToolRequestWriter;
  readonly expandedRoles: readonly string[];
  readonly timeZone: string;
  readonly locale: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: Limits;
};

/** What stands between a chat request and its model. */
export type RequestProcessor = {
  /** See `prepareRequest`. */
  prepare(request: ChatRequest, context: ChatContext): Promise<PreparedRequest>;
};

export const createRequestProcessor = (dependencies: RequestProcessorDependencies): RequestProcessor => {
  const { limits, locale, preprocessors } = dependencies;
  const time = timeVariables(dependencies);
  const tools = createToolVariables(dependencies);
  const placeholders = placeholderVariables(dependencies.placeholders);
  const expandedRoles = new Set(dependencies.expandedRoles);
  return {
    prepare: (request, context) =>
      prepareRequest(request, context, {
        expandedRoles,
        sources: ({ model }, { isOffered, owner }) => [
          time,
          promptVariables({ settings: dependencies.promptSettings(), files: dependencies.promptFiles, model }),
          taskResultVariables(dependencies.taskResult, owner),
          tools.offeredTo(isOffered),
          placeholders,
        ],
        unavailableText: modelWords(locale).unavailable,
        preprocess: (messages, about, diagnostics) => runPreprocessors(messages, about, diagnostics, preprocessors),
        limits,
      }),
  };
};
