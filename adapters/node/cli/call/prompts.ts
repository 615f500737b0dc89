import process from 'node:process';
import { confirm, isCancel, multiselect, password, select, text } from '@clack/prompts';
import { Interrupted } from '../exit.ts';

export type Choice<Value> = { readonly value: Value; readonly label: string; readonly hint?: string };

/** Gives what is wrong with a text, or null. */
export type Check = (text: string) => string | null;

/** Questions on the terminal. Ctrl-C and Escape raise `Interrupted`. */
export type Prompts = {
  choose<Value>(question: string, choices: readonly Choice<Value>[]): Promise<Value>;
  chooseSome<Value>(question: string, choices: readonly Choice<Value>[]): Promise<Value[]>;
  confirm(question: string, preset: boolean): Promise<boolean>;
  ask(question: string, check: Check, preset?: string): Promise<string>;
  /** The answer does not show. */
  askSecretly(question: string, check: Check): Promise<string>;
};

/** Rows of a list that show at once; the rest scrolls. */
const VISIBLE_CHOICES = 12;

/** Questions go to stderr, so that stdout stays data. */
const terminal = { input: process.stdin, output: process.stderr, withGuide: false };

const answered = <Answer>(answer: Answer): Exclude<Answer, symbol> => {
  if (isCancel(answer)) throw new Interrupted('cancelled; nothing was sent');
  return answer as Exclude<Answer, symbol>;
};

/** Choices are told to the library by their place: it treats values of some types differently. */
const placed = <Value>(choices: readonly Choice<Value>[]) =>
  choices.map(({ label, hint }, place) => ({ value: place, label, ...(hint === undefined ? {} : { hint }) }));

const validator = (check: Check) => (value: string | undefined) => check(value ?? '') ?? undefined;

export const createPrompts = (): Prompts => ({
  choose: async <Value>(message: string, choices: readonly Choice<Value>[]) => {
    const place = answered(await select({ ...terminal, message, options: placed(choices), maxItems: VISIBLE_CHOICES }));
    return (choices[place] as Choice<Value>).value;
  },
  chooseSome: async <Value>(message: string, choices: readonly Choice<Value>[]) => {
    const options = placed(choices);
    const places = answered(
      await multiselect({ ...terminal, message, options, maxItems: VISIBLE_CHOICES, required: false }),
    );
    return places.map((place) => (choices[place] as Choice<Value>).value);
  },
  confirm: async (message, preset) => answered(await confirm({ ...terminal, message, initialValue: preset })),
  ask: async (message, check, preset) =>
    answered(
      await text({
        ...terminal,
        message,
        validate: validator(check),
        ...(preset === undefined ? {} : { initialValue: preset }),
      }),
    ) ?? '',
  askSecretly: async (message, check) =>
    answered(await password({ ...terminal, message, validate: validator(check) })) ?? '',
});
