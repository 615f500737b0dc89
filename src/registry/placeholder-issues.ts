import { cronFault } from '../lib/cron.ts';
import type { Issue } from '../lib/issue.ts';
import { placeholderName } from '../lib/variable-names.ts';
import type { PluginManifest } from '../protocol/manifest.ts';

/** What keeps a manifest's placeholders, and the times of their refresh, from being served. */
export const placeholderIssues = (manifest: PluginManifest): Issue[] => {
  const { pluginType, refreshCron, capabilities } = manifest;
  const placeholders = capabilities.systemPromptPlaceholders;
  if (pluginType !== 'static') {
    const message = `is for plugins of pluginType "static", and this one is "${pluginType}"`;
    return [
      ...(refreshCron === undefined ? [] : [{ pointer: '/refreshCron', message }]),
      ...(placeholders === undefined ? [] : [{ pointer: '/capabilities/systemPromptPlaceholders', message }]),
    ];
  }
  const issues: Issue[] = [];
  if ((placeholders ?? []).length === 0) {
    issues.push({
      pointer: '/capabilities/systemPromptPlaceholders',
      message: 'must name at least one placeholder, because pluginType is "static"',
    });
  }
  const names = new Set<string>();
  for (const [index, { placeholder }] of (placeholders ?? []).entries()) {
    const pointer = `/capabilities/systemPromptPlaceholders/${index}/placeholder`;
    const name = placeholderName(placeholder);
    if (name === null) {
      const message =
        'must be {{Name}}: letters, digits, "_", "." and "-", and no name of the server\'s own (Date, VCPAllTools, Tar…, Var…, Sar… and the like)';
      issues.push({ pointer, message });
    } else if (names.has(name)) issues.push({ pointer, message: 'is named twice' });
    else names.add(name);
  }
  const fault = refreshCron === undefined ? null : cronFault(refreshCron);
  if (fault !== null) issues.push({ pointer: '/refreshCron', message: `is no cron pattern: ${fault}` });
  if (capabilities.invocationCommands.length > 1) {
    const message = 'may name one command at most, which is run to refresh the placeholders of a static plugin';
    issues.push({ pointer: '/capabilities/invocationCommands', message });
  }
  return issues;
};
