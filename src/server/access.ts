import type { Identity } from '../ports/authenticator.ts';

/** Operators and admins see what every key has left behind; others see their own. */
export const seesEverything = (identity: Identity): boolean =>
  identity.roles.has('operator') || identity.roles.has('admin');

export const maySee = (identity: Identity, owner: string): boolean => identity.id === owner || seesEverything(identity);

export const mayUseTool = (identity: Identity, toolName: string): boolean =>
  identity.tools === null || identity.tools.has(toolName);
