import type { Argument, Command, Option } from 'commander';
import { NOTHING, valuesOf, type Candidate, type Completion } from './candidate.ts';

/** What is on the line besides the word that is completed. */
export type LineSoFar = {
  readonly current: string;
  readonly positionals: readonly string[];
  /** The values of each option by its long name without dashes. */
  readonly options: ReadonlyMap<string, readonly string[]>;
};

/** Finds values that the program itself does not know. `name` is how help calls the value: `tool`, `name=value`. */
export type ValueSource = (name: string, line: LineSoFar) => Promise<Completion>;

/** What may stand at the cursor after the words before it. */
export const completeWords = async (
  program: Command,
  before: readonly string[],
  current: string,
  source: ValueSource,
): Promise<Completion> => {
  const { command, positionals, options, awaiting, onlyPositionals } = readLine(program, before);
  const valuesFor = async (holder: Option | Argument, name: string, text: string, prefix = ''): Promise<Completion> => {
    const choices = holder.argChoices?.map((value) => ({ value }));
    const found =
      choices === undefined ? await source(name, { current: text, positionals, options }) : valuesOf(choices);
    if (found.kind !== 'values') return { ...found, prefix: prefix + found.prefix };
    return matching(
      found.candidates.map((candidate) => ({ ...candidate, value: prefix + candidate.value })),
      current,
    );
  };

  if (awaiting !== null) return await valuesFor(awaiting, placeholderOf(awaiting), current);
  if (!onlyPositionals && current.startsWith('-')) {
    const [, flag, text] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
    if (flag === undefined) return matching(optionCandidates(command, options), current);
    const option = optionOf(command, flag);
    return option === null || !takesValue(option)
      ? NOTHING
      : await valuesFor(option, placeholderOf(option), text ?? '', `${flag}=`);
  }
  if (positionals.length === 0 && command.commands.length > 0) return matching(commandCandidates(command), current);
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[positionals.length] ?? (last?.variadic === true ? last : undefined);
  return argument === undefined ? NOTHING : await valuesFor(argument, argument.name(), current);
};

type ReadLine = {
  readonly command: Command;
  readonly positionals: string[];
  readonly options: Map<string, string[]>;
  /** The option whose value the next word is. */
  readonly awaiting: Option | null;
  readonly onlyPositionals: boolean;
};

const readLine = (program: Command, words: readonly string[]): ReadLine => {
  let command = program;
  let awaiting: Option | null = null;
  let onlyPositionals = false;
  const positionals: string[] = [];
  const options = new Map<string, string[]>();
  const note = (option: Option, value: string | null) => {
    const name = option.long?.slice(2) ?? option.name();
    options.set(name, [...(options.get(name) ?? []), ...(value === null ? [] : [value])]);
  };
  for (const word of words) {
    if (awaiting !== null) {
      note(awaiting, word);
      awaiting = null;
    } else if (onlyPositionals || !word.startsWith('-') || word === '-') {
      const subcommand = positionals.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (subcommand === undefined) positionals.push(word);
      else command = subcommand;
    } else if (word === '--') onlyPositionals = true;
    else {
      const equals = word.indexOf('=');
      const option = optionOf(command, equals === -1 ? word : word.slice(0, equals));
      if (option === null) continue;
      if (equals === -1 && takesValue(option)) awaiting = option;
      else note(option, equals === -1 ? null : word.slice(equals + 1));
    }
  }
  return { command, positionals, options, awaiting, onlyPositionals };
};

const visibleOptions = (command: Command): Option[] => command.createHelp().visibleOptions(command);

const optionOf = (command: Command, flag: string): Option | null =>
  visibleOptions(command).find(({ long, short }) => long === flag || short === flag) ?? null;

const takesValue = (option: Option): boolean => option.required || option.optional;

/** `--arg <name=value>` → `name=value`. */
const placeholderOf = (option: Option): string => /[<[](.+?)[>\]]/.exec(option.flags)?.[1] ?? '';

/** An option that is there already is offered again only when it may be repeated, which a parser that collects its values tells. */
const optionCandidates = (command: Command, given: ReadonlyMap<string, unknown>): Candidate[] =>
  visibleOptions(command).flatMap(({ long, parseArg, argChoices, description }) =>
    typeof long === 'string' && ((parseArg !== undefined && argChoices === undefined) || !given.has(long.slice(2)))
      ? [{ value: long, description }]
      : [],
  );

const commandCandidates = (command: Command): Candidate[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), description: one.description() }));

const matching = (candidates: readonly Candidate[], current: string): Completion =>
  valuesOf(candidates.filter(({ value }) => value.startsWith(current)));
