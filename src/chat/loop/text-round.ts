import { createInstructionParser, type BlockDisplay } from '../../instruction/create-instruction-parser.ts';
import type { InstructionBlock } from '../../instruction/parser-event.ts';
import type { Limits } from '../../lib/limits.ts';
import type { ChatRequest, LanguageModel } from '../../ports/language-model.ts';
import type { BlockCalls, RunningBlock } from './block-calls.ts';
import type { CallingConversation, ConversationMedia } from './calling-conversation.ts';
import type { ChatCaller } from './chat-caller.ts';
import { feedbackMessage } from './feedback-message.ts';
import { readAnswer } from './read-answer.ts';
import type { PlayRound } from './round.ts';

export type TextRoundOptions = {
  readonly model: LanguageModel;
  readonly calls: BlockCalls;
  readonly request: ChatRequest;
  readonly caller: ChatCaller;
  readonly display: BlockDisplay;
  /** Whether blocks in fenced code are calls too. */
  readonly runFenced: boolean;
  readonly media: ConversationMedia;
  readonly limits: Pick<Limits, 'chatCallsPerAnswer' | 'instructionBlockBytes'>;
};

/** Rounds of a model that calls tools by blocks in its text. A call starts as soon as its block is whole. */
export const textRounds = ({
  model,
  calls,
  request,
  caller,
  display,
  runFenced,
  media,
  limits,
}: TextRoundOptions): PlayRound =>
  async function* (messages, signal) {
    const parser = createInstructionParser({ display, runFenced, limits });
    const conversation: CallingConversation = { caller, media, messages, signal };
    const running: RunningBlock[] = [];
    let notRun = 0;
    const events = model.stream({ ...request, messages }, { signal });
    const onBlock = (block: InstructionBlock): void => {
      if (running.length === limits.chatCallsPerAnswer) {
        notRun += 1;
        return;
      }
      const call = calls.begin(block, running.length + 1, conversation);
      // The answer may break off before anybody waits for it.
      call.report.catch(() => undefined);
      running.push(call);
    };
    const hidesBlocks = display === 'hidden';
    const { text, finish, usage, hasClientCalls } = yield* readAnswer(events, { parser, hidesBlocks, onBlock });
    const told = await Promise.all(running.map(({ report }) => report));
    const reports = told.filter((report) => report !== null);
    return {
      finish,
      usage,
      hasClientCalls,
      reports,
      notRun,
      next: (notes) => [{ role: 'assistant', content: text }, feedbackMessage(reports, notes)],
    };
  };
