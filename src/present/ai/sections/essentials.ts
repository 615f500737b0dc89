import type { CanonicalToolResult } from '../../../protocol/canonical-tool-result.ts';
import type { ToolError } from '../../../protocol/error.ts';
import type { JsonValue } from '../../../protocol/json.ts';
import type { Presentation } from '../../../protocol/presentation.ts';
import type { Task } from '../../../protocol/task.ts';
import { leftOut } from '../../left-out.ts';
import {
  inlineCode,
  paragraph,
  serialise,
  strong,
  text,
  type BlockContent,
  type PhrasingContent,
  type RootContent,
} from '../markdown.ts';
import { renderPart } from '../renderers/render-part.ts';
import { cutNote, type CutsByPointer } from '../renderers/render-value.ts';
import type { Sampler, Section } from './section.ts';

/** `headline` is the length of its beginning: the tool, the status, the code of an error. */
export type Essentials = Section & { readonly headline: number };

/** What survives first (§8.5): how it went, the error, the title and summary, and the task. */
export const essentials = (result: CanonicalToolResult, budget: number, sampler: Sampler): Essentials => {
  const share = sharesOf(result, budget);
  const error = result.error === null ? null : sampledError(result.error, share, sampler);
  const presentation = result.presentation === null ? null : sampledWords(result.presentation, share, sampler);
  const task = result.task === null ? null : (sampler.take(asJson(result.task), 600, ['task']) as unknown as Task);
  const tool = sampler.take(asJson(result.tool), 600, ['tool']) as unknown as CanonicalToolResult['tool'];
  const cuts = sampler.cuts();
  const sampled = { ...result, error, task } as CanonicalToolResult;
  const first = paragraph(...headline(tool, result.status));
  const blocks: RootContent[] = [first];
  blocks.push(...renderPart('error', { result: sampled, cuts }), ...words(presentation, cuts));
  blocks.push(...renderPart('task', { result: sampled, cuts }));
  const beginning = error === null ? [first] : [first, paragraph(inlineCode(error.code))];
  return { ...sampler.section(blocks), headline: serialise(beginning).trimEnd().length };
};

const asJson = (value: object): JsonValue => value as unknown as JsonValue;

type Shares = { readonly error: number; readonly details: number; readonly words: number };

/** What is not there leaves its share to the others. */
const sharesOf = ({ error, presentation }: CanonicalToolResult, budget: number): Shares => {
  const weights = { error: error ? 5 : 0, details: error?.details ? 4 : 0, words: presentation === null ? 0 : 5 };
  const all = Math.max(1, weights.error + weights.details + weights.words);
  const of = (weight: number): number => (budget * weight) / all;
  return { error: of(weights.error), details: of(weights.details), words: of(weights.words) };
};

/** Details that would have less room than this say nothing. */
const LEAST_DETAILS = 120;

/** The sentence that says what went wrong is always there, if only its beginning. */
const sampledError = (error: ToolError, share: Shares, sampler: Sampler): ToolError => {
  const spoken = (value: string, part: number, field: string): string =>
    sampler.take(value, share.error * part, ['error', field]) as string;
  const hasRoom = share.details >= LEAST_DETAILS;
  if (!hasRoom) sampler.omissions.push(...leftOut('/error/details', error.details));
  const details = hasRoom && error.details !== null ? (error.details as JsonValue) : null;
  return {
    ...error,
    code: sampler.censor.text(error.code, ['error', 'code']),
    message: spoken(error.message, 0.8, 'message'),
    target: error.target === null ? null : spoken(error.target, 0.2, 'target'),
    cause: error.cause === null ? null : sampledCause(error.cause, share.error * 0.4, sampler),
    details: details === null ? null : sampler.take(details, share.details, ['error', 'details']),
  } as ToolError;
};

type Cause = NonNullable<ToolError['cause']>;

const sampledCause = ({ code, message }: Cause, budget: number, sampler: Sampler): Cause => ({
  code: code === null ? null : (sampler.take(code, 100, ['error', 'cause', 'code']) as string),
  message: sampler.take(message, budget, ['error', 'cause', 'message']) as string,
});

type Words = Pick<Presentation, 'title' | 'summary'>;

const sampledWords = ({ title, summary }: Presentation, share: Shares, sampler: Sampler): Words => {
  const given = Object.fromEntries(Object.entries({ title, summary }).filter(([, value]) => value));
  return sampler.take(given, share.words, ['presentation']) as unknown as Words;
};

const words = (presentation: Words | null, cuts: CutsByPointer): BlockContent[] => {
  if (presentation === null) return [];
  const { title, summary } = presentation;
  const note = (field: string): BlockContent[] => {
    const block = cutNote(['presentation', field], cuts);
    return block === null ? [] : [block];
  };
  return [
    ...(title ? [paragraph(strong(title)), ...note('title')] : []),
    ...(summary ? [paragraph(text(summary)), ...note('summary')] : []),
  ];
};

const headline = (
  { name, command }: CanonicalToolResult['tool'],
  status: CanonicalToolResult['status'],
): PhrasingContent[] => [strong(command === null ? name : `${name} · ${command}`), text(` — ${STATUS_WORDS[status]}`)];

const STATUS_WORDS: Record<CanonicalToolResult['status'], string> = {
  success: 'success',
  accepted: 'accepted, still running',
  partial: 'partly done',
  error: 'failed',
  cancelled: 'cancelled',
  timeout: 'timed out',
};
