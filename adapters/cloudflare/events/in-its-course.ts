import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * An answer that is still being made while it is sent: the platform reads it outside of the course of its request, and what
 * is told meanwhile would be told for nobody.
 */
export const inItsCourse = (response: Response): Response => {
  const isMadeMeanwhile = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isMadeMeanwhile || response.body === null) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      pull: AsyncLocalStorage.bind(async (controller: ReadableStreamDefaultController<Uint8Array>) => {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      }),
      cancel: AsyncLocalStorage.bind((reason: unknown) => reader.cancel(reason)),
    },
    { highWaterMark: 0 },
  );
  return new Response(body as BodyInit, response);
};
