import { renderValue } from './render-value.ts';
import type { Renderer } from './renderer.ts';

/** Any object, by the rules of §8.4. */
export const genericObject: Renderer = {
  name: 'generic-object',
  part: 'data',
  matches: ({ data }) => typeof data === 'object' && data !== null && !Array.isArray(data),
  render: ({ result, cuts }) => renderValue(result.data, ['data'], cuts),
};

/** Any list, by the rules of §8.4. */
export const genericArray: Renderer = {
  name: 'generic-array',
  part: 'data',
  matches: ({ data }) => Array.isArray(data),
  render: ({ result, cuts }) => renderValue(result.data, ['data'], cuts),
};
