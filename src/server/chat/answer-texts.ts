import type { ModelEvent } from '../../ports/language-model.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { OpenAiError } from './openai-error.ts';

type ChunkWriter = { write(event: ModelEvent): readonly JsonObject[] };

export type AnswerTextsOptions = {
  readonly events: AsyncGenerator<ModelEvent>;
  readonly chunks: ChunkWriter;
  /** The chunks that were read before it was certain that there would be a stream. */
  readonly opening: Promise<readonly JsonObject[]>;
  /** What a client is told of a failure; null when there is none left to tell. */
  tellFault(error: unknown): OpenAiError | null;
  /** Told when nothing of the answer runs any more, whether or not it came to its end. */
  onEnd(): void;
};

/** The chunks up to the first that a client sees something of. */
export const openAnswer = async (
  events: AsyncGenerator<ModelEvent>,
  chunks: ChunkWriter,
): Promise<readonly JsonObject[]> => {
  for (;;) {
    const next = await events.next();
    if (next.done === true) return [];
    const written = chunks.write(next.value);
    if (written.length > 0) return written;
  }
};

/** A streamed answer as the texts of its events. It never fails, and ends with exactly one `[DONE]`. */
export async function* answerTexts(options: AnswerTextsOptions): AsyncGenerator<string> {
  const { events, chunks, opening, tellFault, onEnd } = options;
  try {
    const first = await opening;
    if (first.length > 0) yield first.map(eventText).join('');
    for await (const event of events) {
      const written = chunks.write(event);
      if (written.length > 0) yield written.map(eventText).join('');
    }
  } catch (error) {
    const fault = tellFault(error);
    if (fault !== null) yield eventText({ error: fault });
  } finally {
    await events.return(undefined).catch(() => undefined);
    onEnd();
  }
  yield 'data: [DONE]\n\n';
}

const eventText = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
