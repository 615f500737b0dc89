import type { ModelEvent } from '../../ports/language-model.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** Makes events of a vendor's messages; one for each answer, since it remembers what came before. */
export type StreamMapper = {
  /** The events of one message of the stream. */
  events(message: JsonObject): readonly ModelEvent[];
  /** What is left to say after the last message; null when the answer is not complete. `isDone`: the stream said so. */
  end(isDone: boolean): readonly ModelEvent[] | null;
};
