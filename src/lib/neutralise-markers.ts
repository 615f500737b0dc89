/**
 * Makes text-protocol markers in a tool's output inert: a result that is fed back to a model must never read as a
 * call. The text stays legible; only the three opening brackets are swapped for look-alikes.
 */
export const neutraliseMarkers = (text: string): string =>
  text.replaceAll(/<<<(?=\[\s*(?:END_)?TOOL_REQUEST)/gi, '‹‹‹');
