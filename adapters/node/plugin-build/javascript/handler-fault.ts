import { suggestName } from '../../../../src/lib/suggest.ts';

/** Why a plugin with these handlers (null: one for all) cannot answer the commands of its manifest; null when it can. */
export const handlerFault = (
  entry: string,
  handlers: readonly string[] | null,
  commands: readonly string[],
): string | null => {
  if (handlers === null) return null;
  if (handlers.length === 0) {
    const example = `export default plugin({ ${commands[0] ?? 'Command'}: (args, call) => ({ data: … }) });`;
    return `the default export of ${entry} has no handler; it has to be such as\n${example}`;
  }
  const faults = commands
    .filter((command) => !handlers.includes(command))
    .map((command) => {
      const spare = handlers.filter((name) => !commands.includes(name));
      const near = suggestName(command, spare);
      const advice = near === null ? 'add one of that name' : `rename "${near}" to it`;
      return `the manifest has a command "${command}", for which ${entry} has no handler: ${advice}`;
    });
  return faults.length === 0 ? null : faults.join('\n');
};
