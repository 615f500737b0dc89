import { neutraliseMarkers } from '../../lib/neutralise-markers.ts';

/** §5.9: the longest advice that a model is shown, in characters. */
const MAX_CHARACTERS = 500;

/**
 * Advice without what §5.9 forbids in it: HTML and scripts, tool-request blocks, and text that poses as another
 * role. Null when nothing is left.
 */
export const sanitiseAdvice = (message: string): string | null => {
  const clean = neutraliseMarkers(
    message
      .replaceAll(/<<<\[\s*TOOL_REQUEST[\s\S]*?(?:<<<\[\s*END_TOOL_REQUEST[^>\]]*\]>>>|$)/gi, ' ')
      .replaceAll(/<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
      .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, ' ')
      .replaceAll(/<\|[^|>\n]{1,64}\|>/g, ' ')
      .replaceAll(/<\/?[a-z][^>\n]{0,1024}>/gi, ' ')
      .replaceAll(/^[ \t>*_#`-]*\[?(?:system|assistant|developer|user|tool)\]?[ \t*_]*[:：][^\n]*$/gim, ' '),
  )
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (clean === '') return null;
  const characters = [...clean];
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : clean;
};
