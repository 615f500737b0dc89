import type { EventIds, VcpEvent } from '../protocol/event.ts';

/** Who may hear of an event, beside operators and admins, who hear of all. */
export type EventAudience =
  | { readonly to: 'owner'; readonly owner: string }
  /** Every key, or every key that may use the tool: for what is nobody's in particular, such as a service's broadcast. */
  | { readonly to: 'everyone'; readonly tool?: string }
  | { readonly to: 'operators' };

/** An event before it has its id and its time; ids that do not apply are left out. */
export type NewEvent = {
  readonly [Type in VcpEvent['type']]: Omit<Extract<VcpEvent, { type: Type }>, 'id' | 'time' | keyof EventIds> &
    Partial<EventIds>;
}[VcpEvent['type']];

/** Progress, among the new events. */
export type ProgressTold = Extract<NewEvent, { type: 'vcp_info' }>;

export type EventAddress = {
  readonly audience: EventAudience;
  /** Only connections of this client type; all by default. */
  readonly clientType?: string | null;
  /** Paths and private addresses that the owner has named: they are not hidden from the owner. */
  readonly given?: ReadonlySet<string>;
};

/** Where events go. Delivering them must never delay or fail what they tell of. */
export type EventSink = { emit(event: NewEvent, address: EventAddress): void };
