import type { Identity, Role } from '../ports/authenticator.ts';

/** Operators and admins see what every key has left behind; others see their own. */
export const seesEverything = (identity: Identity): boolean =>
  identity.roles.has('operator') || identity.roles.has('admin');

export const maySee = (identity: Identity, owner: string): boolean => identity.id === owner || seesEverything(identity);

/** Every role but `node`: such a key brings tools to the server, and uses none. */
const CALLING_ROLES: readonly Role[] = ['human', 'workflow', 'ai', 'bridge', 'operator', 'admin'];

export const mayCallTools = (identity: Identity): boolean => CALLING_ROLES.some((role) => identity.roles.has(role));

export const mayUseTool = (identity: Identity, toolName: string): boolean =>
  mayCallTools(identity) && (identity.tools === null || identity.tools.has(toolName));

/** Why `mayUseTool` said no, for the caller. */
export const refusalOfTool = (identity: Identity, toolName: string): string =>
  mayCallTools(identity)
    ? `this key may not use the tool "${toolName}"`
    : `this key may use no tools: it needs one of the roles ${CALLING_ROLES.join(', ')}, and has ${[...identity.roles].join(', ')}`;
