import type { Failure } from '../lib/failure.ts';
import {
  CORE_ERROR_CODES,
  PLUGIN_ERROR_CATEGORIES,
  STANDARD_ERROR_CODES,
  type ErrorCategory,
  type PluginError,
  type ToolError,
} from '../protocol/error.ts';
import type { Warning } from '../protocol/warning.ts';

/** The canonical form of a failure that the core found. */
export const toolErrorOfFailure = (failure: Failure): ToolError => ({
  code: failure.code,
  // Messages quote and cut what they were given; a cut can split a surrogate pair.
  message: failure.message.slice(0, 65_536).toWellFormed(),
  category: failure.category ?? categoryOfCode(failure.code) ?? 'runtime',
  retryable: failure.retryable ?? false,
  target: failure.target ?? null,
  details: failure.details ?? null,
  cause: null,
});

export type ConvertedPluginError = { readonly error: ToolError; readonly warnings: readonly Warning[] };

/**
 * The canonical form of an error that a plugin reported. Nothing of it is lost; only a category that plugins may not
 * give is replaced, with a warning, and an undeclared code is warned about.
 */
export const toolErrorOfPlugin = (
  reported: PluginError,
  context: { readonly cancelled: boolean; readonly declaredErrorCodes: ReadonlySet<string> | null },
): ConvertedPluginError => {
  const warnings: Warning[] = [];
  const category = categoryOfPluginError(reported, context.cancelled);
  if (reported.category !== undefined && reported.category !== category) {
    warnings.push({
      code: 'ERROR_CATEGORY_REPLACED',
      message: `category "${reported.category}" is the core's to give; "${category}" was used`,
      target: 'error.category',
      details: null,
    });
  }
  const { declaredErrorCodes } = context;
  const isStandard = Object.hasOwn(STANDARD_ERROR_CODES, reported.code);
  if (!isStandard && declaredErrorCodes !== null && !declaredErrorCodes.has(reported.code)) {
    warnings.push({
      code: 'UNDECLARED_ERROR_CODE',
      message: `the manifest does not declare error code "${reported.code}"`,
      target: 'error.code',
      details: null,
    });
  }
  const { code, message, retryable, target, details, cause } = reported;
  return { error: { code, message, category, retryable, target, details, cause }, warnings };
};

const categoryOfPluginError = (reported: PluginError, cancelled: boolean): ErrorCategory => {
  if (cancelled) return 'cancelled';
  if (reported.category !== undefined && PLUGIN_ERROR_CATEGORIES.has(reported.category)) return reported.category;
  const usual = categoryOfCode(reported.code);
  return usual !== null && PLUGIN_ERROR_CATEGORIES.has(usual) ? usual : 'domain';
};

const categoryOfCode = (code: string): ErrorCategory | null => {
  if (Object.hasOwn(STANDARD_ERROR_CODES, code))
    return STANDARD_ERROR_CODES[code as keyof typeof STANDARD_ERROR_CODES].category;
  if (Object.hasOwn(CORE_ERROR_CODES, code)) return CORE_ERROR_CODES[code as keyof typeof CORE_ERROR_CODES].category;
  return null;
};
