import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { formatBytes } from '../../lib/bytes.ts';
import type { Limits } from '../../lib/limits.ts';
import { UpstreamError } from '../../ports/upstream-error.ts';
import { replaceImages, type KeepImage } from './replace-images.ts';

/**
 * A stream of events with the images in each event's data kept and replaced. An image has to be within one event; data
 * that is no JSON, comments, names and ids pass.
 */
export const replaceInEvents = (
  source: ReadableStream<Uint8Array>,
  keep: KeepImage,
  limits: Limits,
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let ready: (EventSourceMessage | string)[] = [];
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: limits.upstreamEventBytes,
    onEvent: (event) => void ready.push(event),
    onComment: (comment) => void ready.push(comment),
    onError: ({ type }) => (isTooLarge ||= type === 'max-buffer-size-exceeded'),
  });
  const written = async (): Promise<string> => {
    const events = ready;
    ready = [];
    if (isTooLarge)
      throw new UpstreamError({
        code: 'UPSTREAM_TOO_LARGE',
        message: `an event of the upstream's stream is larger than ${formatBytes(limits.upstreamEventBytes)}`,
      });
    const texts: string[] = [];
    for (const event of events) texts.push(await textOf(event, keep, limits));
    return texts.join('');
  };
  const transform = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform: async (bytes, controller) => {
      parser.feed(decoder.decode(bytes, { stream: true }));
      const text = await written();
      if (text !== '') controller.enqueue(encoder.encode(text));
    },
    flush: async (controller) => {
      // What is left over is an event that the upstream did not end.
      parser.feed(`${decoder.decode()}\n\n`);
      const text = await written();
      if (text !== '') controller.enqueue(encoder.encode(text));
    },
  });
  return source.pipeThrough(transform as TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>);
};

const textOf = async (event: EventSourceMessage | string, keep: KeepImage, limits: Limits): Promise<string> => {
  if (typeof event === 'string') return `: ${event}\n\n`;
  const data = await replaceImages(event.data, keep, limits);
  const lines = data.split('\n').map((line) => `data: ${line}`);
  if (event.id !== undefined) lines.unshift(`id: ${event.id}`);
  if (event.event !== undefined) lines.unshift(`event: ${event.event}`);
  return `${lines.join('\n')}\n\n`;
};
