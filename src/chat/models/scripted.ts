import type { ChatRequest, FinishReason, LanguageModel, ModelEvent, ModelUsage } from '../../ports/language-model.ts';
import type { Pause } from '../../ports/pause.ts';
import { UpstreamError } from '../../ports/upstream-error.ts';
import { OPENAI_CHAT_MEDIA } from '../../present/model/openai-chat.ts';
import { collectAnswer } from './collect-answer.ts';
import { chooseTurn, messageText } from './scripted/choose-turn.ts';
import { cutText } from './scripted/cut-text.ts';
import type { ModelScript, ScriptStep, ScriptTurn } from './scripted/script.ts';

export type ScriptedModelOptions = { readonly script: ModelScript; readonly pause: Pick<Pause, 'sleep'> };

/** Characters that count as a token where a script does not say how many there were. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * A model that says what a script tells it to, for demonstrations without a network and for tests. The same requests in
 * the same order get the same answers, ids included; which turns are used up is all that it remembers.
 */
export const createScriptedModel = ({ script, pause }: ScriptedModelOptions): LanguageModel => {
  const name = script.model ?? 'scripted';
  const used = new Map<number, number>();
  let answers = 0;

  const stream: LanguageModel['stream'] = async function* (request, { signal }) {
    signal.throwIfAborted();
    const at = chooseTurn(script.turns, used, request.messages.at(-1));
    const turn = script.turns[at];
    if (turn === undefined) throw noTurn(request);
    used.set(at, (used.get(at) ?? 0) + 1);
    answers += 1;
    const id = `scripted-${answers}`;
    yield { type: 'start', id, model: request.model };
    let said = '';
    let calls = 0;
    for (const step of turn.answer) {
      for (const event of stepEvents(step, id, calls)) {
        if (step.delayMs !== undefined && step.delayMs > 0) await pause.sleep(step.delayMs, signal);
        signal.throwIfAborted();
        if (event instanceof UpstreamError) throw event;
        if (event.type === 'text' || event.type === 'reasoning') said += event.text;
        if (event.type === 'tool_call') said += event.arguments;
        yield event;
      }
      if ('toolCall' in step) calls += 1;
    }
    const reason: FinishReason = turn.finish ?? (calls > 0 ? 'tool_calls' : 'stop');
    yield { type: 'finish', choice: 0, reason, native: null };
    yield { type: 'usage', usage: usageOf(turn, request, said) };
  };

  return {
    mediaRules: OPENAI_CHAT_MEDIA,
    stream,
    complete: (request, options) => collectAnswer(stream(request, options)),
    listModels: async () => [{ id: name, created: null, ownedBy: 'script' }],
  };
};

const stepEvents = (step: ScriptStep, id: string, calls: number): readonly (ModelEvent | UpstreamError)[] => {
  if ('text' in step) return cutText(step.text, step.pieces ?? 1).map((text) => ({ type: 'text', choice: 0, text }));
  if ('reasoning' in step) return [{ type: 'reasoning', choice: 0, text: step.reasoning }];
  if ('error' in step) {
    const { status, retryAfterMs, isRetryable, ...fault } = step.error;
    return [
      new UpstreamError({
        ...fault,
        status: status ?? null,
        retryAfterMs: retryAfterMs ?? null,
        isRetryable: isRetryable ?? false,
      }),
    ];
  }
  const { name, id: callId = `call-${id}-${calls}`, arguments: given = {} } = step.toolCall;
  return [
    { type: 'tool_call', choice: 0, index: calls, id: callId, name, arguments: '' },
    { type: 'tool_call', choice: 0, index: calls, arguments: JSON.stringify(given) },
  ];
};

const usageOf = (turn: ScriptTurn, request: ChatRequest, said: string): ModelUsage => {
  const asked = request.messages.map(messageText).join('');
  const prompt = turn.usage?.prompt_tokens ?? Math.ceil(asked.length / CHARACTERS_PER_TOKEN);
  const completion = turn.usage?.completion_tokens ?? Math.ceil(said.length / CHARACTERS_PER_TOKEN);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
};

const noTurn = ({ messages }: ChatRequest): UpstreamError =>
  new UpstreamError({
    code: 'UPSTREAM_REFUSED',
    status: 400,
    message: `the script has no turn left that answers message ${messages.length - 1}`,
    pointer: `/messages/${Math.max(0, messages.length - 1)}`,
  });
