import type { Requirements } from './requirement.ts';

/** Titles by file, of every test that there is. */
export type KnownTitles = ReadonlyMap<string, readonly string[]>;

/** What is wrong with a map of requirements, one line each; empty when every section is proved or planned. */
export const requirementFaults = (
  requirements: Requirements,
  sections: readonly string[],
  known: KnownTitles,
): string[] => [
  ...sections.filter((section) => !Object.hasOwn(requirements, section)).map((section) => `${section} is missing`),
  ...Object.keys(requirements)
    .filter((section) => !sections.includes(section))
    .map((section) => `${section} is no section`),
  ...Object.entries(requirements).flatMap(([section, requirement]) => {
    if ('planned' in requirement) return plannedFaults(section, requirement, known);
    const files = Object.entries(requirement.tests);
    if (files.every(([, titles]) => titles.length === 0)) return [`${section} names no test`];
    return files.flatMap(([file, titles]) => proofFaults(section, file, titles, known));
  }),
];

const proofFaults = (section: string, file: string, titles: readonly string[], known: KnownTitles): string[] => {
  const there = known.get(file);
  if (there === undefined) return [`${section}: there is no test file ${file}`];
  return titles
    .filter((title) => title.trim() === '' || !there.some((candidate) => candidate.startsWith(title)))
    .map((title) => `${section}: ${file} has no test "${title}"`);
};

/** A section that has tests is not planned any more: either it names them, or a test names it. */
const plannedFaults = (section: string, requirement: object & { planned: string }, known: KnownTitles): string[] => {
  const faults: string[] = [];
  if (requirement.planned.trim() === '') faults.push(`${section} is planned without a reason`);
  if ('tests' in requirement) faults.push(`${section} is planned and names tests`);
  const named = new RegExp(`${section.replace('.', '\\.')}(?![\\d.]*\\d)`);
  for (const [file, titles] of known) {
    const title = titles.find((candidate) => named.test(candidate));
    if (title !== undefined) faults.push(`${section} is planned, but ${file} has "${title}"`);
  }
  return faults;
};
