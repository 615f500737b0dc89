import { METRICS, UNKNOWN_TOOL } from '../lib/metric-definitions.ts';
import type { Counter, Histogram, Metrics } from '../ports/metrics.ts';
import type { CanonicalToolResult } from '../protocol/canonical-tool-result.ts';
import { CORE_ERROR_CODES, STANDARD_ERROR_CODES, type ErrorCategory } from '../protocol/error.ts';
import type { ToolStatus } from '../protocol/status.ts';
import type { PluginDefinition } from '../registry/plugin-definition.ts';

export type CallStage = 'queue' | 'transport' | 'resources' | 'store';

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
  calls: keyed((status: ToolStatus) => metrics.counter(METRICS.calls, { tool, status })),
  errors: keyed((category: ErrorCategory, code: string) =>
    metrics.counter(METRICS.callErrors, { tool, category, code }),
  ),
  stage: keyed((stage: CallStage) => metrics.histogram(METRICS.stageSeconds, { tool, stage })),
  callSeconds: keyed(() => metrics.histogram(METRICS.callSeconds, { tool })),
  inputBytes: keyed(() => metrics.counter(METRICS.inputBytes, { tool })),
  outputBytes: keyed(() => metrics.counter(METRICS.outputBytes, { tool })),
  resourceBytes: keyed(() => metrics.counter(METRICS.resourceBytes, { tool })),
  base64Resources: keyed(() => metrics.counter(METRICS.base64Resources, { tool })),
  notStored: keyed(() => metrics.counter(METRICS.notStored, { tool })),
});

/** Remembers what `make` gave for its texts. */
const keyed = <Keys extends readonly string[], Value>(make: (...keys: Keys) => Value): ((...keys: Keys) => Value) => {
  const made = new Map<string, Value>();
  return (...keys) => {
    const key = keys.length === 1 ? (keys[0] as string) : keys.join(' ');
    let value = made.get(key);
    if (value === undefined) {
      value = make(...keys);
      made.set(key, value);
    }
    return value;
  };
};

const UNDECLARED_CODE = '(undeclared)';

/** The code of an error as it is counted: a plugin may answer with any, so only those that somebody declared. */
export const countedCode = ({ error, tool }: CanonicalToolResult, plugin: PluginDefinition | null): string => {
  const code = error?.code ?? '';
  if (Object.hasOwn(STANDARD_ERROR_CODES, code) || Object.hasOwn(CORE_ERROR_CODES, code)) return code;
  const command = tool.command === null ? undefined : plugin?.commands.get(tool.command);
  return command?.declaredErrorCodes?.has(code) === true ? code : UNDECLARED_CODE;
};
