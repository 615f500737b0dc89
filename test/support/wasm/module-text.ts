/** What a module's text, as wabt prints it, declares: enough to change it by its lines. */
export type ModuleText = {
  /** Without the parenthesis that closes the module. */
  readonly lines: readonly string[];
  readonly types: readonly TextType[];
  /** The type of each function, by index. */
  readonly functions: readonly TextType[];
  readonly globals: readonly { readonly type: string; readonly mutable: boolean }[];
  readonly hasMemory: boolean;
  /** How many elements each element segment has. */
  readonly segments: readonly number[];
};
export type TextType = { readonly parameters: readonly string[]; readonly results: readonly string[] };

export const typeOfText = (text: string): TextType => {
  const list = (what: string): string[] =>
    [...text.matchAll(new RegExp(`\\(${what} ([^)]*)\\)`, 'g'))].flatMap((match) => (match[1] as string).split(' '));
  return { parameters: list('param'), results: list('result') };
};

/** Elements are plain numbers behind `func`, or expressions behind a type. */
const elementsOf = (line: string): number => {
  const numbered = / func((?: \d+)*)\)+$/.exec(line);
  if (numbered !== null) return (numbered[1] as string).split(' ').length - 1;
  return (/ (?:func|extern)ref(.*)$/.exec(line)?.[1] ?? '').split('(').length - 1;
};

export const readModuleText = (text: string): ModuleText => {
  const lines = text.trimEnd().slice(0, -1).split('\n');
  const types = lines.filter((line) => line.startsWith('  (type ')).map(typeOfText);
  const functions = [...text.matchAll(/^ {2}\((?:import "[^"]*" "[^"]*" \()?func \(;\d+;\) \(type (\d+)\)/gm)].map(
    (match) => types[Number(match[1])] as TextType,
  );
  const globals = [
    ...text.matchAll(/^ {2}\((?:import "[^"]*" "[^"]*" \()?global \(;\d+;\) (\(mut )?([a-z0-9]+)/gm),
  ].map(([, mutable, type]) => ({ type: type as string, mutable: mutable !== undefined }));
  const segments = lines.filter((line) => line.startsWith('  (elem ')).map(elementsOf);
  return { lines, types, functions, globals, hasMemory: /^ {2}\(memory /m.test(text), segments };
};
