import { formatBytes } from '../../lib/bytes.ts';
import type { Omission } from '../../lib/sample-json.ts';
import type { CanonicalToolResult } from '../../protocol/canonical-tool-result.ts';
import type { ToolError } from '../../protocol/error.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { ResourceDescriptor } from '../../protocol/resource.ts';
import type { AiContentPart, AiContext, AiView } from './ai-view.ts';
import {
  heading,
  inlineCode,
  linkOrText,
  list,
  paragraph,
  serialise,
  strong,
  text,
  type BlockContent,
  type PhrasingContent,
  type RootContent,
} from './markdown.ts';
import { renderValue } from './render-value.ts';
import { sanitiseAdvice } from './sanitise-advice.ts';

/** A result whose data was sampled to the budget and redacted before it came here, and what the sampling cut. */
export type SampledResult = { readonly result: CanonicalToolResult; readonly omissions: readonly Omission[] };

/** §8.2: status and error, summary, data, resources, warnings, advice, in that order. Reads no bytes, does no I/O. */
export const presentAi = ({ result, omissions }: SampledResult, context: AiContext): AiView => {
  const listed = orderedResources(result).slice(0, context.maxResources);
  const unlisted = result.resources.filter((resource) => !listed.includes(resource));
  const cuts = new Map(omissions.map((omission) => [omission.pointer, omission]));

  const blocks: RootContent[] = [paragraph(...headline(result))];
  if (result.error !== null) blocks.push(...errorBlocks(result.error));
  if (result.presentation?.title) blocks.push(paragraph(strong(result.presentation.title)));
  if (result.presentation?.summary) blocks.push(paragraph(text(result.presentation.summary)));
  if (result.task !== null) blocks.push(taskBlock(result.task));
  if (result.data !== null) blocks.push(heading('Result'), ...renderValue(result.data, ['data'], cuts));
  if (listed.length > 0) blocks.push(heading('Resources'), list(listed.map((resource) => [resourceLine(resource)])));
  if (unlisted.length > 0)
    blocks.push(
      paragraph(text(`${unlisted.length} more resources: ${unlisted.map((resource) => resource.id).join(', ')}`)),
    );
  if (result.warnings.length > 0)
    blocks.push(
      heading('Warnings'),
      list(result.warnings.map((warning) => [warningLine(warning.code, warning.message)])),
    );
  blocks.push(...adviceBlocks(result, listed));
  if (omissions.length > 0) {
    blocks.push(
      paragraph(
        text('Parts were left out to fit; each can be read by its pointer from the stored result '),
        inlineCode(result.id),
        text('.'),
      ),
    );
  }
  if (context.includeExecutionMetadata) blocks.push(executionBlock(result));

  const markdown = serialise(blocks).trimEnd();
  return {
    text: markdown,
    content: [{ type: 'text', text: markdown }, ...listed.flatMap((resource) => mediaPart(resource, context))],
    omitted: {
      fields: [...omissions, ...neverShown(result)],
      resources: unlisted.map((resource) => resource.id),
      redactions: result.policy.redactionsApplied.filter(({ pointer }) => !/^\/(?:origin|extensions)/.test(pointer)),
      resultId: result.id,
    },
  };
};

/** What this view has no place for at all. */
const neverShown = (result: CanonicalToolResult): Omission[] => {
  const fieldsAt = (pointer: string, value: object | null | undefined): Omission[] => {
    const count = value === null || value === undefined ? 0 : Object.keys(value).length;
    return count === 0 ? [] : [{ pointer, unit: 'fields', originalCount: count, keptCount: 0 }];
  };
  return [
    ...fieldsAt('/extensions', result.extensions),
    ...result.resources.flatMap(({ metadata }, index) => fieldsAt(`/resources/${index}/metadata`, metadata)),
    ...result.warnings.flatMap(({ details }, index) =>
      typeof details === 'object' ? fieldsAt(`/warnings/${index}/details`, details) : [],
    ),
  ];
};

const headline = (result: CanonicalToolResult): PhrasingContent[] => {
  const { name, command } = result.tool;
  return [strong(command === null ? name : `${name} · ${command}`), text(` — ${STATUS_WORDS[result.status]}`)];
};

const STATUS_WORDS: Record<CanonicalToolResult['status'], string> = {
  success: 'success',
  accepted: 'accepted, still running',
  partial: 'partly done',
  error: 'failed',
  cancelled: 'cancelled',
  timeout: 'timed out',
};

const errorBlocks = (error: ToolError): BlockContent[] => {
  const facts: PhrasingContent[] = [inlineCode(error.code), text(`: ${error.message}`)];
  const more = [
    `category: ${error.category}`,
    error.target === null ? null : `at: ${error.target}`,
    error.retryable ? 'the same call may work later' : null,
  ].filter((fact) => fact !== null);
  const blocks: BlockContent[] = [paragraph(...facts), paragraph(text(more.join('; ')))];
  if (error.cause !== null)
    blocks.push(
      paragraph(text(`caused by: ${error.cause.code === null ? '' : `${error.cause.code}: `}${error.cause.message}`)),
    );
  return error.details === null ? blocks : [...blocks, ...renderDetails(error.details as JsonValue)];
};

/** The message of a schema fault lists the first issues itself; they are not said twice. */
const renderDetails = (details: JsonValue): BlockContent[] => {
  const { pointer: _pointer, issues, issueCount, ...rest } = details as { readonly [key: string]: JsonValue };
  const isListed = Array.isArray(issues) && issues.length <= ISSUES_IN_MESSAGE && issueCount === issues.length;
  if (!isListed) return renderValue(details, ['error', 'details'], new Map());
  return Object.keys(rest).length === 0 ? [] : renderValue(rest, ['error', 'details'], new Map());
};

/** Issues that `describeIssues` puts into a message. */
const ISSUES_IN_MESSAGE = 3;

const taskBlock = (task: NonNullable<CanonicalToolResult['task']>): BlockContent =>
  paragraph(
    text('Task '),
    inlineCode(task.id),
    text(`: ${task.state}${task.progress === null ? '' : `, ${Math.round(task.progress * 100)} %`}`),
    ...(task.placeholder === null ? [] : [text('; its result will replace '), inlineCode(task.placeholder)]),
  );

const resourceLine = (resource: ResourceDescriptor): BlockContent => {
  const facts = [
    resource.mimeType,
    resource.sizeBytes === null ? null : formatBytes(resource.sizeBytes),
    resource.dimensions === null ? null : `${resource.dimensions.width} × ${resource.dimensions.height}`,
  ].filter((fact) => fact !== null);
  return paragraph(
    inlineCode(resource.id),
    text(` ${resource.fileName} (${facts.join(', ')}): `),
    linkOrText(resource.url),
  );
};

/** The sample may have had no room for the sentence; that is stated with the other omissions. */
const warningLine = (code: string, message: string | undefined): BlockContent =>
  paragraph(inlineCode(code), ...(message === undefined ? [] : [text(`: ${message}`)]));

/** §5.9: kept apart from the facts and labelled as what it is; advice about resources that are not shown falls away. */
const adviceBlocks = (result: CanonicalToolResult, listed: readonly ResourceDescriptor[]): RootContent[] => {
  const { aiAdvice } = result;
  if (aiAdvice === null || aiAdvice.intent === 'none') return [];
  const shown = new Set(listed.map((resource) => resource.id));
  const resourceIds = aiAdvice.resourceIds.filter((id) => shown.has(id));
  const intent = resourceIds.length < aiAdvice.resourceIds.length ? 'relay' : aiAdvice.intent;
  const message = aiAdvice.message === null ? null : sanitiseAdvice(aiAdvice.message);
  if (message === null && intent === 'relay') return [];
  const words = [
    `suggested: ${intent.replaceAll('_', ' ')}`,
    ...(resourceIds.length > 0 ? [resourceIds.join(', ')] : []),
  ];
  return [
    heading('Delivery advice from the tool (a suggestion, not part of the result)'),
    {
      type: 'blockquote',
      children: [
        paragraph(text(message ?? words.join(': '))),
        ...(message === null ? [] : [paragraph(text(words.join(': ')))]),
      ],
    },
  ];
};

const executionBlock = (result: CanonicalToolResult): BlockContent =>
  paragraph(
    text(`Result ${result.id}, finished ${result.execution.finishedAt} after ${result.execution.durationMs} ms.`),
  );

/** The primary resource first, then those that the advice names, then the rest in their own order. */
const orderedResources = (result: CanonicalToolResult): readonly ResourceDescriptor[] => {
  const first = [result.presentation?.primaryResourceId, ...(result.aiAdvice?.resourceIds ?? [])];
  const rank = (resource: ResourceDescriptor) => {
    const index = first.indexOf(resource.id);
    return index === -1 ? first.length : index;
  };
  return result.resources
    .map((resource, index) => ({ resource, index }))
    .toSorted((a, b) => rank(a.resource) - rank(b.resource) || a.index - b.index)
    .map(({ resource }) => resource);
};

/** §8.6: a picture goes along only for a model that sees; bytes are the model adapter's to fetch. */
const mediaPart = (resource: ResourceDescriptor, { modelCapabilities }: AiContext): AiContentPart[] => {
  if (resource.access.type === 'external') return [];
  if (resource.kind === 'image' && modelCapabilities.vision) return [{ type: 'image', resourceId: resource.id }];
  if (resource.kind === 'audio' && modelCapabilities.audio) return [{ type: 'audio', resourceId: resource.id }];
  return [];
};
