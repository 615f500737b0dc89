import { LIMITS } from '../../src/lib/limits.ts';
import { Configuration, isLiveVariable, limitVariable } from '../../src/server/configuration.ts';
import { markdownTable } from './write.ts';

/** Every variable with its default and meaning, as the schema has them. */
export const configurationTable = (): string => {
  const defaults = Configuration.parse({}) as Record<string, unknown>;
  const variables = Object.entries(Configuration.shape).map(([name, field]) => {
    const value = defaults[name];
    const description = String(field.meta()?.description ?? '');
    const shown =
      value === undefined
        ? ''
        : Array.isArray(value)
          ? value.join(',')
          : typeof value === 'string'
            ? value
            : JSON.stringify(value);
    return [`\`${name}\``, shown === '' ? '' : `\`${shown}\``, isLiveVariable(name) ? 'yes' : '', description];
  });
  const limits = Object.entries(LIMITS).map(([name, { value, meaning }]) => [
    `\`${limitVariable(name)}\``,
    `\`${value}\``,
    meaning,
  ]);
  return [
    markdownTable(['variable', 'default', 'live', 'meaning'], variables),
    '',
    'Limits:',
    '',
    markdownTable(['variable', 'default', 'meaning'], limits),
  ].join('\n');
};
