import { neutraliseMarkers } from '../../lib/neutralise-markers.ts';
import type { PlaceholderService } from '../placeholders/placeholder-service.ts';
import { plainValue, type VariableSource } from './variable-source.ts';

/** What static plugins said last. It is inserted, and never becomes a call. */
export const placeholderVariables = (placeholders: Pick<PlaceholderService, 'find'>): VariableSource => ({
  find: async (name, signal) => {
    const text = await placeholders.find(name, signal);
    return text === null ? null : plainValue(neutraliseMarkers(text));
  },
});
