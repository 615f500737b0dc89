import { createDeadline, raceWithSignal } from '../../lib/deadline.ts';
import type { Limits } from '../../lib/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { UpstreamError } from '../../ports/upstream-error.ts';
import { connectionFault } from '../models/transport/connection-fault.ts';
import { readBoundedBytes } from '../models/transport/read-bounded.ts';
import type { UpstreamFetch } from '../models/transport/connection.ts';
import { refusedAnswer } from '../models/transport/refused-answer.ts';
import type { UpstreamTarget } from '../models/upstream-target.ts';
import { relayedBody } from './relayed-body.ts';
import { relayedHeaders } from './relayed-headers.ts';
import { withoutKey } from './without-key.ts';

export type RelayRequest = {
  /** Below the upstream's address. */
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly accept: string | null;
  readonly requestId: string;
  readonly signal: AbortSignal;
};

/** What the upstream answered; `body` is read from it as it is taken. */
export type RelayedAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer> | null;
};

/** Sends a request as it is and gives the answer as it is. Without an answer it fails with an `UpstreamError`. */
export type Relay = (request: RelayRequest) => Promise<RelayedAnswer>;

export type RelayOptions = UpstreamTarget & {
  readonly fetch: UpstreamFetch;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly logger: Logger;
};

/** Bytes of an error's body: it is held whole, to look for the key in it. */
const ERROR_BYTES = 1024 * 1024;
/** Bytes of such a body that are read for a message of ours. */
const MESSAGE_BYTES = 64 * 1024;
/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Nothing of the caller's request goes along but what is named here, and nothing is tried again: whoever speaks to the
 * upstream through here has its answers, errors included, to himself.
 */
export const createRelay =
  ({ baseUrl, headers, key, fetch, clock, limits, logger }: RelayOptions): Relay =>
  async ({ path, body, contentType, accept, requestId, signal }) => {
    const deadline = createDeadline({ now: clock.now(), timeoutMs: limits.upstreamRequestMs, signal });
    let hasAnswer = false;
    const faultOf = (error: unknown): unknown => {
      if (signal.aborted) return signal.reason;
      if (deadline.reason() === 'timeout') return tooSlow(limits.upstreamRequestMs);
      return error instanceof UpstreamError ? error : connectionFault(error, hasAnswer);
    };
    // Its status is out already: only the log has the reason why the client's answer breaks off.
    const faultWithin = (error: unknown): unknown => {
      const fault = faultOf(error);
      if (fault instanceof UpstreamError) logger.warn('pass-through.broken-off', { requestId, code: fault.code });
      return fault;
    };
    try {
      const sent = fetch(`${baseUrl}${path}`, {
        method: 'POST',
        // Decoded on the way, an answer would not be what its headers say.
        headers: { ...headers, accept: accept ?? '*/*', 'accept-encoding': 'identity', 'content-type': contentType },
        body,
        // A redirect would carry the key, and what people wrote, to wherever it leads.
        redirect: 'manual',
        signal: deadline.signal,
      });
      const response = await raceWithSignal(sent, deadline.signal);
      hasAnswer = true;
      if (response.ok) {
        const stream = BODILESS.has(response.status) ? null : response.body;
        if (stream === null) deadline.dispose();
        return {
          status: response.status,
          headers: relayedHeaders(response.headers),
          body: stream && relayedBody(stream, { deadline, idleMs: limits.upstreamIdleMs, faultOf: faultWithin }),
        };
      }
      const bytes = await readBoundedBytes(response.body, ERROR_BYTES, deadline.signal, 'error');
      if (isOurAffair(response.status)) {
        const text = new TextDecoder().decode(bytes.subarray(0, MESSAGE_BYTES));
        throw refusedAnswer(response, text, { key, nowMs: clock.now(), bounds: limits });
      }
      deadline.dispose();
      const { 'content-length': _, ...rest } = relayedHeaders(response.headers);
      return { status: response.status, headers: rest, body: withoutKey(bytes, key) };
    } catch (error) {
      const fault = faultOf(error);
      deadline.shutDown();
      deadline.dispose();
      throw fault;
    }
  };

/** What the operator has to set right. To the caller, 401 would say that its own key is wrong. */
const isOurAffair = (status: number): boolean => status < 400 || status === 401 || status === 407 || status > 599;

const tooSlow = (requestMs: number): UpstreamError =>
  new UpstreamError({ code: 'UPSTREAM_TIMEOUT', message: `the upstream took longer than ${requestMs} ms` });
