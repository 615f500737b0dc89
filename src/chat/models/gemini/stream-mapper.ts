import { isJsonObject } from '../../../lib/is-json-object.ts';
import type { ModelEvent } from '../../../ports/language-model.ts';
import { UpstreamError } from '../../../ports/upstream-error.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { objectsOf, orNothing, textOf } from '../json-fields.ts';
import type { StreamMapper } from '../stream-mapper.ts';
import { safeMessage } from '../transport/safe-message.ts';
import { geminiFinishReason } from './finish-reason.ts';
import { partEvents } from './part-events.ts';
import { geminiUsage } from './usage.ts';

type Candidate = { calls: number; isFinished: boolean };

/** The pieces of a stream, or a whole answer, which has the same form. `seed` makes ids of calls where there are none. */
export const createGeminiMapper = (seed: string): StreamMapper => {
  const candidates = new Map<number, Candidate>();
  let usage: JsonObject | null = null;
  let answerId: string | null = null;
  let hasStarted = false;

  const candidateOf = (index: number): Candidate => {
    const known = candidates.get(index) ?? { calls: 0, isFinished: false };
    candidates.set(index, known);
    return known;
  };

  const finish = (choice: number, candidate: Candidate, word: string): ModelEvent[] => {
    if (word === '' || word === 'FINISH_REASON_UNSPECIFIED' || candidate.isFinished) return [];
    const { reason, native, isFailure } = geminiFinishReason(word, candidate.calls > 0);
    if (isFailure) throw endedInFault(word);
    candidate.isFinished = true;
    return [{ type: 'finish', choice, reason, native }];
  };

  const candidateEvents = (body: JsonObject): ModelEvent[] => {
    const { index: at, content, finishReason: word, finishMessage: _message, ...rest } = body;
    const choice = typeof at === 'number' ? at : 0;
    const candidate = candidateOf(choice);
    const events = objectsOf(isJsonObject(content) ? content['parts'] : undefined).flatMap((part) => {
      const given = partEvents(part, { choice, call: candidate.calls, id: answerId ?? seed });
      candidate.calls += given.filter(({ type }) => type === 'tool_call').length;
      return given;
    });
    if (Object.keys(rest).length > 0) events.push({ type: 'extra', choice, choiceFields: rest });
    return [...events, ...finish(choice, candidate, textOf(word))];
  };

  return {
    events: (body) => {
      const events: ModelEvent[] = [];
      if (!hasStarted) {
        hasStarted = true;
        answerId = orNothing(body['responseId']);
        events.push({ type: 'start', id: answerId, model: orNothing(body['modelVersion']) });
      }
      if (isJsonObject(body['usageMetadata'])) usage = body['usageMetadata'];
      for (const candidate of objectsOf(body['candidates'])) events.push(...candidateEvents(candidate));
      // A prompt that is blocked has no candidates.
      const feedback = body['promptFeedback'];
      const blocked = isJsonObject(feedback) ? textOf(feedback['blockReason']) : '';
      if (blocked !== '' && candidates.size === 0) {
        candidateOf(0).isFinished = true;
        events.push({ type: 'finish', choice: 0, reason: 'content_filter', native: blocked });
      }
      return events;
    },
    end: () => {
      if (candidates.size === 0 || [...candidates.values()].some(({ isFinished }) => !isFinished)) return null;
      return usage === null ? [] : [{ type: 'usage', usage: geminiUsage(usage) }];
    },
  };
};

const endedInFault = (word: string): UpstreamError =>
  new UpstreamError({
    code: 'UPSTREAM_FAILED',
    vendorCode: word,
    message: `the model's answer ended in a fault: ${safeMessage(word, null)}`,
    isRetryable: word !== 'MISSING_THOUGHT_SIGNATURE' && word !== 'TOO_MANY_TOOL_CALLS',
  });
