import type { Element } from 'domhandler';

/** What readers never see is no content: it may be meant for programs alone. */
export function isHidden({ attribs }: Element): boolean {
  if ('hidden' in attribs || attribs['aria-hidden'] === 'true') return true;
  const { style } = attribs;
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}
