import type { EventAddress } from '../ports/event-sink.ts';

/** Who a subscription delivers to. */
export type EventViewer = {
  /** The owner of its own events. */
  readonly id: string;
  /** Operators and admins: they hear of everything, and of what others may not read. */
  readonly seesEverything: boolean;
  /** Null hears only of what is for all types, `*` also of what is for any one. */
  readonly clientType: string | null;
  mayUseTool(toolName: string): boolean;
};

/** Whether a viewer hears of what goes to this address. */
export const isMeantFor = (
  { id, seesEverything, clientType, mayUseTool }: EventViewer,
  { audience, clientType: wanted = null }: EventAddress,
): boolean => {
  if (wanted !== null && wanted !== clientType && clientType !== '*') return false;
  if (seesEverything) return true;
  switch (audience.to) {
    case 'owner':
      return audience.owner === id;
    case 'everyone':
      return audience.tool === undefined || mayUseTool(audience.tool);
    case 'operators':
      return false;
  }
};
