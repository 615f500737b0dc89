import {
  createRequestProcessor,
  type RequestProcessor,
  type RequestProcessorDependencies,
} from '../../chat/create-request-processor.ts';
import { writeExampleRequest } from '../../chat/tools/write-example-request.ts';
import type { LiveRegistry } from '../../registry/tool-registry.ts';
import { taskText } from '../../runtime/async-placeholder.ts';
import type { ToolRuntimeDependencies } from '../../runtime/execute-request.ts';
import { createToolPlaces } from '../../runtime/tool-places.ts';
import type { Configuration } from '../configuration.ts';

/** What a runtime brings along: where prompts and the values of placeholders come from. */
export type RequestProcessingOptions = Pick<
  RequestProcessorDependencies,
  'placeholders' | 'promptFiles' | 'promptSettings' | 'timeZone'
> & {
  /** Asked at each request for what may change while the server runs. */
  configuration(): Configuration;
  readonly registry: LiveRegistry;
  readonly runtimeParts: ToolRuntimeDependencies;
};

/** What prepares chat requests, out of the parts of a server. */
export const openRequestProcessing = ({
  configuration,
  registry,
  runtimeParts,
  ...given
}: RequestProcessingOptions): RequestProcessor => {
  const { clock, limits, logger, ids, knownPaths, calls, tasks, transports } = runtimeParts;
  const { VCP_EXPAND_ROLES: expandedRoles, VCP_LOCALE: locale } = configuration();
  const preprocessing = registry.only(new Set(['messagePreprocessor']));
  return createRequestProcessor({
    ...given,
    registry,
    taskResult: (toolName, taskId, { owner }) => {
      const viewer = { roles: new Set<string>(), maySee: (other: string) => other === owner };
      return taskText({ toolName, taskId }, viewer, { tasks: tasks.store, calls, knownPaths, limits });
    },
    preprocessors: {
      registry: preprocessing,
      names: () => configuration().VCP_PREPROCESSORS,
      required: () => configuration().VCP_REQUIRED_PREPROCESSORS,
      transports,
      places: createToolPlaces(preprocessing, limits),
      ids,
      clock,
      limits,
      logger,
    },
    writeToolRequest: writeExampleRequest,
    expandedRoles,
    locale,
    clock,
    limits,
  });
};
