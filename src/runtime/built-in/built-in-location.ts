const PREFIX = 'built-in:';

/** Where a tool lies that is a part of the runtime. */
export const builtInLocation = (name: string): string => `${PREFIX}${name}`;

export const isBuiltIn = (location: string): boolean => location.startsWith(PREFIX);
