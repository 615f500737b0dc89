import { compileSchema, draft2020, type JsonSchema } from 'json-schema-library';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import * as protocol from '../../../src/protocol/index.ts';
import aiAdvice from '../../../schemas/1.0/ai-advice.schema.json' with { type: 'json' };
import actor from '../../../schemas/1.0/actor.schema.json' with { type: 'json' };
import apiKeys from '../../../schemas/1.0/api-keys.schema.json' with { type: 'json' };
import bridgeEnvelope from '../../../schemas/1.0/bridge-envelope.schema.json' with { type: 'json' };
import callback from '../../../schemas/1.0/callback.schema.json' with { type: 'json' };
import cancelFrame from '../../../schemas/1.0/cancel-frame.schema.json' with { type: 'json' };
import canonicalToolResult from '../../../schemas/1.0/canonical-tool-result.schema.json' with { type: 'json' };
import collectionReport from '../../../schemas/1.0/collection-report.schema.json' with { type: 'json' };
import commandPorts from '../../../schemas/1.0/command-ports.schema.json' with { type: 'json' };
import humanToolRequest from '../../../schemas/1.0/human-tool-request.schema.json' with { type: 'json' };
import invocation from '../../../schemas/1.0/invocation.schema.json' with { type: 'json' };
import jsonObject from '../../../schemas/1.0/json-object.schema.json' with { type: 'json' };
import jsonValue from '../../../schemas/1.0/json-value.schema.json' with { type: 'json' };
import migrationLedger from '../../../schemas/1.0/migration-ledger.schema.json' with { type: 'json' };
import pluginError from '../../../schemas/1.0/plugin-error.schema.json' with { type: 'json' };
import pluginInvocation from '../../../schemas/1.0/plugin-invocation.schema.json' with { type: 'json' };
import pluginManifest from '../../../schemas/1.0/plugin-manifest.schema.json' with { type: 'json' };
import pluginResultPayload from '../../../schemas/1.0/plugin-result-payload.schema.json' with { type: 'json' };
import presentation from '../../../schemas/1.0/presentation.schema.json' with { type: 'json' };
import problem from '../../../schemas/1.0/problem.schema.json' with { type: 'json' };
import progressEvent from '../../../schemas/1.0/progress-event.schema.json' with { type: 'json' };
import progressFrame from '../../../schemas/1.0/progress-frame.schema.json' with { type: 'json' };
import resourceDescriptor from '../../../schemas/1.0/resource-descriptor.schema.json' with { type: 'json' };
import resourceDraft from '../../../schemas/1.0/resource-draft.schema.json' with { type: 'json' };
import resourceInput from '../../../schemas/1.0/resource-input.schema.json' with { type: 'json' };
import resourceLinkRequest from '../../../schemas/1.0/resource-link-request.schema.json' with { type: 'json' };
import resourceReference from '../../../schemas/1.0/resource-reference.schema.json' with { type: 'json' };
import task from '../../../schemas/1.0/task.schema.json' with { type: 'json' };
import toolDescription from '../../../schemas/1.0/tool-description.schema.json' with { type: 'json' };
import toolError from '../../../schemas/1.0/tool-error.schema.json' with { type: 'json' };
import toolInvocationFrame from '../../../schemas/1.0/tool-invocation-frame.schema.json' with { type: 'json' };
import toolListing from '../../../schemas/1.0/tool-listing.schema.json' with { type: 'json' };
import toolResultFrame from '../../../schemas/1.0/tool-result-frame.schema.json' with { type: 'json' };
import warning from '../../../schemas/1.0/warning.schema.json' with { type: 'json' };
import { SCHEMA_SAMPLES } from '../../support/schema-samples.ts';

const SCHEMAS: Record<string, readonly [schema: unknown, zod: z.ZodType]> = {
  actor: [actor, protocol.Actor],
  'ai-advice': [aiAdvice, protocol.AiAdvice],
  'api-keys': [apiKeys, protocol.ApiKeysFile],
  'bridge-envelope': [bridgeEnvelope, protocol.BridgeEnvelope],
  callback: [callback, protocol.Callback],
  'cancel-frame': [cancelFrame, protocol.CancelFrame],
  'canonical-tool-result': [canonicalToolResult, protocol.CanonicalToolResult],
  'collection-report': [collectionReport, protocol.CollectionReport],
  'command-ports': [commandPorts, protocol.CommandPorts],
  'human-tool-request': [humanToolRequest, protocol.HumanToolRequest],
  invocation: [invocation, protocol.Invocation],
  'json-object': [jsonObject, protocol.JsonObject],
  'json-value': [jsonValue, protocol.JsonValue],
  'migration-ledger': [migrationLedger, protocol.MigrationLedger],
  'plugin-error': [pluginError, protocol.PluginError],
  'plugin-invocation': [pluginInvocation, protocol.PluginInvocation],
  'plugin-manifest': [pluginManifest, protocol.PluginManifest],
  'plugin-result-payload': [pluginResultPayload, protocol.PluginResultPayload],
  presentation: [presentation, protocol.Presentation],
  problem: [problem, protocol.Problem],
  'progress-event': [progressEvent, protocol.ProgressEvent],
  'progress-frame': [progressFrame, protocol.ProgressFrame],
  'resource-descriptor': [resourceDescriptor, protocol.ResourceDescriptor],
  'resource-draft': [resourceDraft, protocol.ResourceDraft],
  'resource-input': [resourceInput, protocol.ResourceInput],
  'resource-link-request': [resourceLinkRequest, protocol.ResourceLinkRequest],
  'resource-reference': [resourceReference, protocol.ResourceReference],
  task: [task, protocol.Task],
  'tool-description': [toolDescription, protocol.ToolDescription],
  'tool-error': [toolError, protocol.ToolError],
  'tool-invocation-frame': [toolInvocationFrame, protocol.ToolInvocationFrame],
  'tool-listing': [toolListing, protocol.ToolListing],
  'tool-result-frame': [toolResultFrame, protocol.ToolResultFrame],
  warning: [warning, protocol.Warning],
};

const remotes = Object.values(SCHEMAS).map(([schema]) => schema as JsonSchema);

describe.each(Object.entries(SCHEMAS))('%s.schema.json', (name, [schema, zod]) => {
  const node = compileSchema(schema as JsonSchema, {
    drafts: [draft2020],
    remotes,
    throwOnInvalidRef: true,
    formatAssertion: true,
  });
  const samples = SCHEMA_SAMPLES[name];

  it('is named by its own URN', () => {
    expect((schema as { $id: string }).$id).toBe(`urn:vcp:schema:1.0:${name}`);
  });

  it('has samples that fit', () => {
    expect(samples?.good.length).toBeGreaterThan(0);
    for (const sample of samples?.good ?? [])
      expect([
        sample,
        zod.safeParse(sample).success,
        node.validate(sample).errors.map((error) => error.message),
      ]).toEqual([sample, true, []]);
  });

  it('refuses what zod refuses', () => {
    for (const sample of samples?.bad ?? [])
      expect([sample, zod.safeParse(sample).success, node.validate(sample).valid]).toEqual([sample, false, false]);
  });
});
