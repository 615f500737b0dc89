import type { Omission } from '../../lib/sample-json.ts';
import type { CanonicalToolResult, Redaction } from '../../protocol/canonical-tool-result.ts';
import { leftOut } from '../left-out.ts';
import type { AiContext } from './ai-view.ts';
import { inlineCode, paragraph, serialise, text } from './markdown.ts';
import type { AiSource } from './ai-source.ts';
import { adviceSection } from './sections/advice-section.ts';
import { dataSection } from './sections/data-section.ts';
import { essentials, type Essentials } from './sections/essentials.ts';
import { orderedResources, resourceSection, type Placed } from './sections/resource-section.ts';
import { createSampler, fitted, NO_SECTION, type Section } from './sections/section.ts';
import { warningSection } from './sections/warning-section.ts';

export type ComposedText = {
  readonly text: string;
  /** Characters that its headline takes at the beginning: the tool, the status, the code of an error. */
  readonly headline: number;
  readonly omissions: readonly Omission[];
  readonly redactions: readonly Redaction[];
  /** The resources that the text lists. */
  readonly listed: readonly Placed[];
};

/** The sections in the order of §8.2. */
type Sections = {
  readonly essentials: Essentials;
  readonly data: Section;
  readonly resources: Section;
  readonly listed: readonly Placed[];
  readonly warnings: Section;
  readonly advice: Section;
  readonly execution: Section;
};

/** As much of a result as the budget holds: all of it, or else its parts in the order in which they matter (§8.5). */
export const composeText = (source: AiSource, context: AiContext): ComposedText => {
  const whole = wholeSections(source, context);
  const composed = compose(source.result, whole, context);
  return composed.text.length <= context.maxCharacters
    ? composed
    : compose(source.result, tightSections(source, context, whole), context);
};

/** Everything, each part within the whole budget: right for a result that is small, and bounded work for any other. */
const wholeSections = ({ result, newCensor }: AiSource, context: AiContext): Sections => {
  const budget = context.maxCharacters;
  const listed = orderedResources(result).slice(0, context.maxResources);
  const resources = resourceSection(listed, false, createSampler(newCensor()));
  const warnings = warningSection(result, budget * WARNING_SHARE, createSampler(newCensor()));
  return {
    essentials: essentials(result, budget, createSampler(newCensor())),
    data: dataSection(result, budget, createSampler(newCensor())),
    resources,
    listed,
    warnings,
    advice: adviceSection(result.aiAdvice, idsOf(listed), createSampler(newCensor())),
    execution: context.includeExecutionMetadata ? executionSection(result) : NO_SECTION,
  };
};

/** A flood of warnings must not push the data out. */
const WARNING_SHARE = 0.2;
/** What the essentials may take while there is data or a resource that should be seen too. */
const ESSENTIAL_SHARE = 0.6;
/** What of the rest is kept for secondary parts, as far as they need it. */
const SECONDARY_SHARE = 0.3;

const tightSections = ({ result, newCensor }: AiSource, context: AiContext, whole: Sections): Sections => {
  // The notice, and the longest list of resources that are not shown, have their room in any case.
  const kept = [noticeText(result, context), unlistedText(result, [])].filter((part) => part !== '');
  let room = kept.reduce((left, part) => left - part.length - BETWEEN, context.maxCharacters);
  const spend = <T extends Section>(section: T): T => {
    if (section.text !== '') room -= section.text.length + BETWEEN;
    return section;
  };
  const hasMore = result.data !== null || whole.listed.length > 0;
  const most = Math.floor(room * (hasMore ? ESSENTIAL_SHARE : 1));
  const first = (budget: number) => essentials(result, budget, createSampler(newCensor()));
  // Where not even the least of them has room, the text is cut in the end, and says so.
  const head = spend(fitted(most, first) ?? fitted(room, first) ?? first(0));

  const primary = whole.listed.slice(0, 1);
  const primarySection = (isShort: boolean) => resourceSection(primary, isShort, createSampler(newCensor()));
  const reserved = [false, true].map(primarySection).find((section) => section.text.length <= room / 2) ?? NO_SECTION;
  const others = lengthOf(whole.resources) - lengthOf(primarySection(false));
  const secondary = Math.max(0, others) + [whole.warnings, whole.advice, whole.execution].reduce(sumLengths, 0);
  const forData = room - lengthOf(reserved) - BETWEEN;
  const shared = forData - Math.min(secondary, Math.floor(room * SECONDARY_SHARE));
  const dataWithin = (space: number) =>
    fitted(
      space,
      (budget) => dataSection(result, budget, createSampler(newCensor())),
      (space * context.maxCharacters) / whole.data.text.length,
    );
  const data = spend(
    result.data === null
      ? NO_SECTION
      : (dataWithin(shared) ?? dataWithin(forData) ?? { ...NO_SECTION, omissions: leftOut('/data', result.data) }),
  );

  const { listed, section } = fittingResources(whole.listed, room, newCensor);
  spend(section);
  const warnings = spend(
    fitted(room - BETWEEN, (budget) => warningSection(result, budget, createSampler(newCensor()))) ?? {
      ...NO_SECTION,
      omissions: leftOut('/warnings', result.warnings),
    },
  );
  const advised = adviceSection(result.aiAdvice, idsOf(listed), createSampler(newCensor()));
  const advice = spend(
    lengthOf(advised) <= room ? advised : { ...NO_SECTION, omissions: leftOut('/aiAdvice', result.aiAdvice) },
  );
  const execution =
    lengthOf(whole.execution) <= Math.max(0, room)
      ? whole.execution
      : { ...NO_SECTION, omissions: leftOut('/execution', result.execution) };
  return { essentials: head, data, resources: section, listed, warnings, advice, execution };
};

/** As many resources as there is room for, with their addresses if they can have them. */
const fittingResources = (
  listed: readonly Placed[],
  room: number,
  newCensor: AiSource['newCensor'],
): { readonly listed: readonly Placed[]; readonly section: Section } => {
  const sectionOf = (count: number, isShort: boolean): Section =>
    resourceSection(listed.slice(0, count), isShort, createSampler(newCensor()));
  // One more resource makes the list longer: how many fit is found by halving.
  let [fits, most] = [0, listed.length];
  let section = NO_SECTION;
  while (fits < most) {
    const count = Math.ceil((fits + most) / 2);
    const tried = sectionOf(count, true);
    if (lengthOf(tried) <= room) [fits, section] = [count, tried];
    else most = count - 1;
  }
  const long = fits === 0 ? NO_SECTION : sectionOf(fits, false);
  return { listed: listed.slice(0, fits), section: lengthOf(long) <= room ? long : section };
};

/** The empty line between two sections. */
const BETWEEN = 2;

const lengthOf = ({ text: shown }: Section): number => (shown === '' ? 0 : shown.length + BETWEEN);
const sumLengths = (sum: number, section: Section): number => sum + lengthOf(section);

const idsOf = (listed: readonly Placed[]): ReadonlySet<string> => new Set(listed.map(({ resource }) => resource.id));

const compose = (result: CanonicalToolResult, sections: Sections, context: AiContext): ComposedText => {
  const { essentials: head, data, resources, listed, warnings, advice, execution } = sections;
  const inOrder = [head, data, resources, warnings, advice];
  const omissions = [...inOrder, execution].flatMap((section) => section.omissions);
  // Advice stands last: what followed it would read as a part of it.
  const texts = [
    head.text,
    data.text,
    resources.text,
    unlistedText(result, listed),
    warnings.text,
    omissions.length === 0 ? '' : noticeText(result, context),
    advice.text,
    execution.text,
  ];
  return {
    text: texts.filter((part) => part !== '').join('\n\n'),
    headline: head.headline,
    omissions,
    redactions: inOrder.flatMap((section) => section.redactions),
    listed,
  };
};

/** Where to read what was left out. */
const noticeText = ({ id }: CanonicalToolResult, { readerTool }: AiContext): string =>
  serialise([
    paragraph(
      text('Parts were left out to fit; each can be read by its pointer from the stored result '),
      inlineCode(id),
      text(readerTool === null ? '.' : `, with the tool ${readerTool}.`),
    ),
  ]).trimEnd();

/** Ids that are named in the text; the view's `omitted` has them all. */
const NAMED_IDS = 8;

/** The resources that are not listed. */
const unlistedText = (result: CanonicalToolResult, listed: readonly Placed[]): string => {
  const shown = idsOf(listed);
  const ids = result.resources.filter(({ id }) => !shown.has(id)).map(({ id }) => id);
  if (ids.length === 0) return '';
  const named = ids.slice(0, NAMED_IDS).join(', ') + (ids.length > NAMED_IDS ? ', …' : '');
  const words = `${ids.length} more ${ids.length === 1 ? 'resource' : 'resources'}: ${named}`;
  return serialise([paragraph(text(words))]).trimEnd();
};

const executionSection = ({ id, execution }: CanonicalToolResult): Section => ({
  ...NO_SECTION,
  text: serialise([
    paragraph(text(`Result ${id}, finished ${execution.finishedAt} after ${execution.durationMs} ms.`)),
  ]).trimEnd(),
});
