import { PluginError } from 'vcp-plugin';

/** Names listed when a pointer leads nowhere. */
const LISTED = 20;

/**
 * The value that an RFC 6901 pointer names; the empty one names all.
 *
 * @throws PluginError with the place where it leads nowhere.
 */
export function jsonValue(document: unknown, pointer: string): unknown {
  let value = document;
  const parts = pointer === '' ? [] : pointer.slice(1).split('/');
  for (const [index, part] of parts.entries()) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const next = childOf(value, key);
    if (next === undefined) throw nowhere(value, `/${parts.slice(0, index).join('/')}`, key);
    value = next;
  }
  return value;
}

function childOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

function nowhere(value: unknown, at: string, key: string): PluginError {
  const found = Array.isArray(value)
    ? `a list of ${value.length}`
    : typeof value === 'object' && value !== null
      ? `an object with ${Object.keys(value).slice(0, LISTED).join(', ')}`
      : `no more than ${JSON.stringify(value)?.slice(0, LISTED)}`;
  return new PluginError(
    'WEB.NO_SUCH_VALUE',
    `there is no "${key}" at ${at === '/' ? 'the root' : at}, which is ${found}`,
    {
      target: 'pointer',
    },
  );
}
