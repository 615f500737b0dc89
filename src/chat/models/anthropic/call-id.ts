/** Ids of calls as Anthropic takes them: what it does not know in them is written as its code, the same for the same id. */
export const toAnthropicCallId = (id: string): string =>
  id.replaceAll(/[^a-zA-Z0-9_-]/g, (character) => `_${character.charCodeAt(0).toString(16)}`);
