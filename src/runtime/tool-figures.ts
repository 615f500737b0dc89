import { METRICS, UNKNOWN_TOOL } from '../lib/metric-definitions.ts';
import { remembered } from '../lib/remembered.ts';
import type { Counter, Histogram, Metrics } from '../ports/metrics.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import { CORE_ERROR_CODES, STANDARD_ERROR_CODES, type ErrorCategory } from '../protocol/error.ts';
import type { ToolStatus } from '../protocol/status.ts';
import type { PluginDefinition } from '../registry/plugin-definition.ts';

export type CallStage = 'approval' | 'queue' | 'transport' | 'resources' | 'store';

/** The figures of one tool, each looked up at its first use and kept: counting is then an addition. */
export type ToolFigures = {
  readonly name: string;
  calls(status: ToolStatus): Counter;
  errors(category: ErrorCategory, code: string): Counter;
  stage(stage: CallStage): Histogram;
  callSeconds(): Histogram;
  inputBytes(): Counter;
  outputBytes(): Counter;
  resourceBytes(): Counter;
  base64Resources(): Counter;
  notStored(): Counter;
};

/** Figures by tool; all names that no plugin has are one. */
export const createToolFigures = (metrics: Metrics): { of(registeredName: string | null): ToolFigures } => {
  const known = new Map<string, ToolFigures>();
  return {
    of: (registeredName) => {
      const tool = registeredName ?? UNKNOWN_TOOL;
      let figures = known.get(tool);
      if (figures === undefined) {
        figures = figuresOf(metrics, tool);
        known.set(tool, figures);
      }
      return figures;
    },
  };
};

const figuresOf = (metrics: Metrics, tool: string): ToolFigures => ({
  name: tool,
  calls: remembered((status: ToolStatus) => metrics.counter(METRICS.calls, { tool, status })),
  errors: remembered((category: ErrorCategory, code: string) =>
    metrics.counter(METRICS.callErrors, { tool, category, code }),
  ),
  stage: remembered((stage: CallStage) => metrics.histogram(METRICS.stageSeconds, { tool, stage })),
  callSeconds: remembered(() => metrics.histogram(METRICS.callSeconds, { tool })),
  inputBytes: remembered(() => metrics.counter(METRICS.inputBytes, { tool })),
  outputBytes: remembered(() => metrics.counter(METRICS.outputBytes, { tool })),
  resourceBytes: remembered(() => metrics.counter(METRICS.resourceBytes, { tool })),
  base64Resources: remembered(() => metrics.counter(METRICS.base64Resources, { tool })),
  notStored: remembered(() => metrics.counter(METRICS.notStored, { tool })),
});

const UNDECLARED_CODE = '(undeclared)';

/** The code of an error as it is counted: a plugin may answer with any, so only those that somebody declared. */
export const countedCode = ({ error, tool }: CanonicalToolResult, plugin: PluginDefinition | null): string => {
  const code = error?.code ?? '';
  if (Object.hasOwn(STANDARD_ERROR_CODES, code) || Object.hasOwn(CORE_ERROR_CODES, code)) return code;
  const command = tool.command === null ? undefined : plugin?.commands.get(tool.command);
  return command?.declaredErrorCodes?.has(code) === true ? code : UNDECLARED_CODE;
};
