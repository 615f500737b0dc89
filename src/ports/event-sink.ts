import type { ProgressEvent } from '../protocol/progress-event.ts';

/** Where events of running calls go. Delivering them must never delay or fail a call. */
export type EventSink = { emit(event: ProgressEvent): void };
