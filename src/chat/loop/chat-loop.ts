import { createInstructionParser, type BlockDisplay } from '../../instruction/create-instruction-parser.ts';
import type { Limits } from '../../lib/limits.ts';
import type { ChatMessage, ChatRequest, LanguageModel, ModelEvent, ModelUsage } from '../../ports/language-model.ts';
import type { BlockCalls, CallingConversation, RunningBlock } from './block-calls.ts';
import type { ChatCaller } from './chat-caller.ts';
import { feedbackMessage, reportText } from './feedback-message.ts';
import { createPage, type ChatStop } from './page.ts';
import { readAnswer, type ReadAnswer } from './read-answer.ts';
import { createRepeatGuard, type Repetition } from './repeat-guard.ts';
import { sumUsage } from './sum-usage.ts';
import type { ToolReport } from './tool-report.ts';

export type ChatRun = {
  /** Ready for the model. */
  readonly request: ChatRequest;
  readonly caller: ChatCaller;
  readonly display: BlockDisplay;
  /** Whether blocks in fenced code are calls too. */
  readonly runFenced: boolean;
  /** Ends the conversation: its requests to the model, and the calls that it waits for. */
  readonly signal: AbortSignal;
};

export type ChatLoopDependencies = {
  readonly model: LanguageModel;
  readonly calls: BlockCalls;
  readonly limits: Pick<Limits, 'chatRounds' | 'chatCallsPerAnswer' | 'instructionBlockBytes'>;
};

/** An answer of the model, with what became of its calls. */
type Round = {
  readonly answer: ReadAnswer;
  readonly reports: readonly ToolReport[];
  /** Calls beyond those that one answer may have. */
  readonly notRun: number;
};

/** A conversation with tools. */
export type ChatLoop = {
  /**
   * The model answers, the calls in its text are run and their results fed back, until it makes no more. Gives what the
   * client is to see, as one answer; usage is that of all rounds together. Raises `UpstreamError`, or the signal's reason,
   * also in the middle.
   */
  run(chat: ChatRun): AsyncGenerator<ModelEvent>;
};

export const createChatLoop = ({ model, calls, limits }: ChatLoopDependencies): ChatLoop => {
  /** One answer of the model: gives what it says, starts its calls as they come, and waits for them at its end. */
  const playRound = async function* (
    chat: ChatRun,
    messages: readonly ChatMessage[],
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, Round> {
    const parser = createInstructionParser({ display: chat.display, runFenced: chat.runFenced, limits });
    const conversation: CallingConversation = { caller: chat.caller, mediaRules: model.mediaRules, messages, signal };
    const running: RunningBlock[] = [];
    let notRun = 0;
    const events = model.stream({ ...chat.request, messages }, { signal });
    const answer = yield* readAnswer(events, parser, (block) => {
      if (running.length === limits.chatCallsPerAnswer) {
        notRun += 1;
        return;
      }
      const call = calls.begin(block, running.length + 1, conversation);
      // The answer may break off before anybody waits for it.
      call.report.catch(() => undefined);
      running.push(call);
    });
    const reports = await Promise.all(running.map(({ report }) => report));
    signal.throwIfAborted();
    return { answer, reports: reports.filter((report) => report !== null), notRun };
  };

  return {
    run: async function* (chat) {
      const guard = createRepeatGuard();
      const page = createPage();
      const left = new AbortController();
      const signal = AbortSignal.any([chat.signal, left.signal]);
      const messages = [...chat.request.messages];
      let usage: ModelUsage | null = null;
      try {
        for (let number = 1; ; number += 1) {
          const playing = playRound(chat, [...messages], signal);
          let next = await playing.next();
          for (; next.done !== true; next = await playing.next()) yield* page.show(next.value, number);
          const { answer, reports, notRun } = next.value;
          usage = sumUsage(usage, answer.usage);
          // The client's own functions are its turn now; what is not seen of the text's calls would be lost with this answer.
          const seen = answer.hasToolCalls ? reports : reports.filter(({ isVisible }) => isVisible);
          for (const report of seen) yield* page.add(reportText(report));

          const repetition = guard.look(reports);
          const isOver = answer.hasToolCalls || (reports.length === 0 && notRun === 0);
          const stop = isOver ? null : stopOf(repetition, number, limits.chatRounds);
          if (stop !== null) yield* page.stop(stop);
          if (isOver || stop !== null) {
            yield answer.finish ?? { type: 'finish', choice: 0, reason: 'stop', native: null };
            if (usage !== null) yield { type: 'usage', usage };
            return;
          }
          const notes = notesOf(repetition, notRun, limits.chatCallsPerAnswer);
          messages.push({ role: 'assistant', content: answer.text }, feedbackMessage(reports, notes));
        }
      } finally {
        left.abort();
      }
    },
  };
};

const stopOf = (repetition: Repetition, round: number, most: number): ChatStop | null => {
  if (repetition === 'stop')
    return { code: 'REPEATED_CALL', message: 'the same call was made again and again, with the same result' };
  if (round >= most) return { code: 'ROUND_LIMIT', message: `tools were used ${most} times in a row` };
  return null;
};

const notesOf = (repetition: Repetition, notRun: number, most: number): readonly string[] => [
  ...(repetition === 'noticed'
    ? ['You made this call before, and its result is the same. Do not make it again: answer with what you know.']
    : []),
  ...(notRun > 0
    ? [`${notRun} more calls were not run, since one answer may hold ${most}. Make them now if needed.`]
    : []),
];
