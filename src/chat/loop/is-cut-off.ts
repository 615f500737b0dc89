import type { ModelEvent } from '../../ports/language-model.ts';

/** Whether an answer was ended from outside: what stands open at its end is nothing that the model can mend. */
export const isCutOff = (finish: Extract<ModelEvent, { type: 'finish' }> | null): boolean =>
  finish?.reason === 'length' || finish?.reason === 'content_filter';
