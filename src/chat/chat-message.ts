import { z } from 'zod';

/** A piece of a message in OpenAI's form; only `text` of a text part is ever read or changed. */
export const ChatContentPart = z.looseObject({ type: z.string().max(64), text: z.string().optional() });
export type ChatContentPart = z.infer<typeof ChatContentPart>;

/** A message in OpenAI's form. Fields that are not named here go on to the model as they came. */
export const ChatMessage = z.looseObject({
  role: z.string().min(1).max(64),
  content: z.union([z.string(), z.array(ChatContentPart), z.null()]).optional(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;
