import { unservedReason } from '../../../src/registry/unserved-reason.ts';
import type { FoundManifest } from '../../../src/registry/compile-plugin.ts';
import { compilePlugin } from '../../../src/registry/compile-plugin.ts';
import { candidateOf } from '../../../src/registry/plugin-candidate.ts';
import { SERVED_BY_WORKERS } from '../../cloudflare/deployed-plugins.ts';
import { readPluginConfiguration } from '../plugin-configuration.ts';
import type { EdgePlugin, JudgeCode } from './edge-plugin.ts';

/** Whether a worker can serve a plugin as it lies in its folder, and what of it goes into the worker. */
export const judgeEdgePlugin = async (found: FoundManifest, judgeCode: JudgeCode): Promise<EdgePlugin> => {
  const { location, text } = found;
  const candidate = candidateOf(location, '', compilePlugin(found), ({ manifest }) =>
    unservedReason(manifest, SERVED_BY_WORKERS),
  );
  const refused = (name: string | null, refusal: string): EdgePlugin => ({
    name,
    location,
    manifest: text,
    refusal,
    configuration: {},
    code: null,
  });
  if (!candidate.ok) return refused(candidate.refused.name, candidate.refused.reason);
  const { definition } = candidate;
  const { name } = definition.manifest;
  // The environment of whoever builds is not that of the worker.
  const configuration = readPluginConfiguration(definition, {});
  if (!configuration.ok) return refused(name, configuration.reason);
  const verdict = await judgeCode(definition);
  if ('refusal' in verdict) return refused(name, verdict.refusal);
  return { name, location, manifest: text, refusal: null, configuration: configuration.values, code: verdict.code };
};
