import { createCensor } from '../policy/create-censor.ts';
import { redactValue } from '../policy/redact-value.ts';
import type { VcpEvent } from '../protocol/event.ts';
import type { JsonValue } from '../protocol/json.ts';

const NOT_SHOWN = '[not shown]';

/**
 * An event as keys without the right to see all may read it: what plugins, callers and people say in it goes through the
 * rules for results. Paths and addresses that are `given` stay. What cannot be looked through is not shown. A model's
 * words are left alone: they are for the client that asked for them.
 */
export const redactEvent = (
  event: VcpEvent,
  knownPaths: readonly string[],
  given: ReadonlySet<string> | undefined,
): VcpEvent => {
  const spoken = spokenParts(event);
  try {
    const censor = createCensor(knownPaths, given);
    const redacted = redactValue(spoken as JsonValue, [], censor) as typeof spoken;
    return redacted === spoken ? event : withParts(event, redacted);
  } catch {
    return withParts(event, withheld(spoken));
  }
};

/** What is not the core's own. Its ids stay out of it, and so do names of fields that speak of secrets only by chance. */
const spokenParts = (event: VcpEvent): Record<string, unknown> => {
  const { toolName } = event;
  switch (event.type) {
    case 'vcp_info':
      return { toolName, stage: event.stage, message: event.message };
    case 'vcp_log':
      return { toolName, source: event.data.source, message: event.data.message, details: event.data.details };
    case 'approval':
      return { toolName, decidedBy: event.data.decidedBy, reason: event.data.reason };
    case 'plugin_message':
      return { toolName, name: event.data.name, message: event.data.message };
    default:
      return { toolName };
  }
};

const withParts = (event: VcpEvent, { toolName, ...parts }: Record<string, unknown>): VcpEvent =>
  ('data' in event
    ? { ...event, toolName, data: { ...event.data, ...parts } }
    : { ...event, toolName, ...parts }) as VcpEvent;

const withheld = (parts: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parts).map(([name, value]) => {
      if (typeof value === 'string') return [name, NOT_SHOWN];
      return [name, typeof value === 'object' && value !== null ? { withheld: NOT_SHOWN } : value];
    }),
  );
