import type { Omission } from '../../../lib/sample-json.ts';
import type { Redaction } from '../../../protocol/canonical-tool-result.ts';
import type { AiAdvice } from '../../../protocol/ai-advice.ts';
import { heading, paragraph, serialise, text } from '../markdown.ts';
import { sanitiseAdvice } from '../sanitise-advice.ts';
import { NO_SECTION, type Sampler, type Section } from './section.ts';

/**
 * §5.9: kept apart from the facts and labelled as what it is. Advice about resources that are not shown becomes a plain
 * relay, and loses its sentence when that names one of them.
 */
export const adviceSection = (advice: AiAdvice | null, shownIds: ReadonlySet<string>, { censor }: Sampler): Section => {
  if (advice === null || advice.intent === 'none') return NO_SECTION;
  const hidden = advice.resourceIds.filter((id) => !shownIds.has(id));
  const resourceIds = advice.resourceIds.filter((id) => shownIds.has(id));
  const intent = hidden.length > 0 ? 'relay' : advice.intent;
  const omissions: Omission[] = [];
  if (hidden.length > 0) {
    const counts = { originalCount: advice.resourceIds.length, keptCount: resourceIds.length };
    omissions.push({ pointer: '/aiAdvice/resourceIds', unit: 'items', ...counts });
  }
  const spoken = spokenPart(advice.message, hidden, censor);
  omissions.push(...spoken.omissions);
  const redactions = [...censor.redactions, ...spoken.redactions];
  if (spoken.message === null && intent === 'relay') return { text: '', omissions, redactions };
  const words = [
    `suggested: ${intent.replaceAll('_', ' ')}`,
    ...(resourceIds.length > 0 ? [resourceIds.join(', ')] : []),
  ];
  const lines = [...(spoken.message === null ? [] : [spoken.message]), words.join(': ')];
  const blocks = [
    heading('Delivery advice from the tool (a suggestion, not part of the result)'),
    { type: 'blockquote' as const, children: lines.map((line) => paragraph(text(line))) },
  ];
  return { text: serialise(blocks).trimEnd(), omissions, redactions };
};

type Spoken = {
  readonly message: string | null;
  readonly omissions: readonly Omission[];
  readonly redactions: readonly Redaction[];
};

const POINTER = '/aiAdvice/message';
const NOTHING: Spoken = { message: null, omissions: [], redactions: [] };

const spokenPart = (message: string | null, hidden: readonly string[], censor: Sampler['censor']): Spoken => {
  if (message === null || message.trim() === '') return NOTHING;
  if (hidden.some((id) => message.includes(id)))
    return { ...NOTHING, redactions: [{ pointer: POINTER, reason: 'names a resource that is not shown' }] };
  const censored = censor.text(message, ['aiAdvice', 'message']);
  const clean = sanitiseAdvice(censored);
  const whole = censored.replaceAll(/\s+/g, ' ').trim();
  if (clean === whole) return { ...NOTHING, message: clean };
  const isCut = clean?.endsWith('…') === true && !whole.endsWith('…');
  const kept = clean === null ? 0 : clean.length - (isCut ? 1 : 0);
  return {
    message: clean,
    omissions: isCut ? [{ pointer: POINTER, unit: 'characters', originalCount: message.length, keptCount: kept }] : [],
    // A cut alone leaves the beginning as it was; everything else was taken out for what it is.
    redactions:
      clean !== null && isCut && whole.startsWith(clean.slice(0, -1))
        ? []
        : [{ pointer: POINTER, reason: 'not allowed in advice' }],
  };
};
