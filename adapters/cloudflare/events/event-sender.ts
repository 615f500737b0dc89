import { AsyncLocalStorage } from 'node:async_hooks';
import { describeFault } from '../../../src/lib/describe-fault.ts';
import type { EventSink } from '../../../src/ports/event-sink.ts';
import type { Logger } from '../../../src/ports/logger.ts';
import type { EventObjectStub, SentEvent } from './event-stub.ts';

/** Sends the events of an isolate to the object that delivers them. */
export type EventSender = EventSink & {
  /** Events that are emitted in the course of this work are sent on behalf of its request. */
  within<Value>(context: SendingContext, work: () => Value): Value;
};

/** The part of the platform's context that is used. */
export type SendingContext = { waitUntil(work: Promise<unknown>): void };

/** An isolate may use what it opened only for the request that it opened it for; so each has a queue of its own. */
type Course = { readonly context: SendingContext; queue: SentEvent[]; isSending: boolean };

export type EventSenderOptions = {
  /** How to reach the object in the course of the request at hand. */
  stub(): EventObjectStub;
  readonly logger: Logger;
  /** Events that may wait for being sent, for one request; further ones are dropped and counted. */
  readonly most: number;
};

/**
 * Events of a request go one batch after the other, so that they arrive in their order; what comes while one is under way
 * goes with the next. Nothing waits for it: the platform is told to let it end when the answer is out.
 */
export const createEventSender = ({ stub, logger, most }: EventSenderOptions): EventSender => {
  const courses = new AsyncLocalStorage<Course>();

  const send = async (course: Course): Promise<void> => {
    // All that is emitted in one go.
    await Promise.resolve();
    const object = stub();
    while (course.queue.length > 0) {
      const batch = course.queue;
      course.queue = [];
      try {
        await object.publish(batch);
      } catch (error) {
        logger.warn('events.not-sent', { count: batch.length, fault: describeFault(error) });
      }
    }
    course.isSending = false;
  };

  return {
    within: (context, work) => courses.run({ context, queue: [], isSending: false }, work),
    emit: (event, address) => {
      const course = courses.getStore();
      if (course === undefined || course.queue.length >= most) {
        logger.warn('events.not-sent', { count: 1, type: event.type });
        return;
      }
      course.queue.push({ event, address });
      if (course.isSending) return;
      course.isSending = true;
      course.context.waitUntil(send(course));
    },
  };
};
