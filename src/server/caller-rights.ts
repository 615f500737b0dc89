import type { Identities } from '../ports/authenticator.ts';
import type { CallerRights } from '../ports/caller-rights.ts';
import { maySee, mayUseTool, refusalOfTool } from './access.ts';

/** The rules of `access.ts` for calls that are made without the key, by what the key may do at that moment. */
export const createCallerRights = ({ identify }: Identities): CallerRights => ({
  refusalOf: (owner, toolName) => {
    const found = identify(owner);
    if (found === null) return 'the key that this was made with is not known to this server any more';
    if (found === 'expired') return 'the key that this was made with has expired';
    if (found === 'revoked') return 'the key that this was made with has been revoked';
    return mayUseTool(found, toolName) ? null : refusalOfTool(found, toolName);
  },
  maySee: (owner, other) => {
    const found = identify(owner);
    return owner === other || (typeof found === 'object' && found !== null && maySee(found, other));
  },
});
