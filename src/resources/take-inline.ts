import type { PluginError } from '../protocol/error.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { InvocationCommand } from '../protocol/manifest.ts';
import type { PluginResultPayload } from '../protocol/plugin-result-payload.ts';
import type { ResourceDescriptor } from '../protocol/resource.ts';
import type { Warning } from '../protocol/warning.ts';
import { schemaPlaceOf, type SchemaPlace } from './declared-base64.ts';
import { extractInline, type InlineField } from './extract-inline.ts';
import type { ResourceDependencies } from './resource-context.ts';

export type TakenInline = {
  readonly data: JsonValue;
  readonly extensions: JsonObject;
  readonly error: PluginError | null;
  readonly descriptors: readonly ResourceDescriptor[];
  readonly warnings: readonly Warning[];
  /** What was taken out of `data`. */
  readonly inline: readonly InlineField[];
};

/** Takes files as text out of where no file belongs: `data`, the extensions, the details of an error. */
export const takeInline = async (
  { data, extensions, error }: PluginResultPayload,
  command: InvocationCommand,
  published: { readonly count: number; readonly bytes: number },
  dependencies: ResourceDependencies,
): Promise<TakenInline> => {
  const { limits } = dependencies;
  const descriptors: ResourceDescriptor[] = [];
  const warnings: Warning[] = [];
  let { bytes } = published;
  const extract = async (value: JsonValue, at: string, schema: SchemaPlace | null) => {
    const budget = {
      resources: limits.resourcesPerResult - published.count - descriptors.length,
      bytes: limits.resourceBytesPerResult - bytes,
    };
    const extraction = await extractInline(value, schema, at, budget, dependencies);
    descriptors.push(...extraction.descriptors);
    warnings.push(...extraction.warnings);
    for (const { sizeBytes } of extraction.descriptors) bytes += sizeBytes ?? 0;
    return extraction;
  };

  const ofData = await extract(data, '/data', schemaPlaceOf(command.outputSchema));
  const ofExtensions = await extract(extensions as JsonObject, '/extensions', null);
  const ofDetails = await extract(error?.details ?? null, '/error/details', null);
  return {
    data: ofData.value,
    inline: ofData.fields,
    extensions: ofExtensions.value as JsonObject,
    error: error === null ? null : { ...error, details: ofDetails.value },
    descriptors,
    warnings,
  };
};
