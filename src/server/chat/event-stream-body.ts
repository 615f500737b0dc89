export type EventStreamOptions = {
  /** Milliseconds of silence after which a comment shows that the stream lives; it comes within twice that time. */
  readonly keepAliveMs: number;
  /** Milliseconds in which the reader takes nothing until it counts as gone, likewise. */
  readonly stallMs: number;
  /** Told once when the reader has gone, before the texts are asked to end. */
  onGone(reason: 'left' | 'stalled'): void;
};

/**
 * The texts as a body, read from their source only when the reader wants more: a slow reader slows the source down, and
 * no more than a piece gathers in between. The texts must not fail.
 */
export const eventStreamBody = (
  texts: AsyncGenerator<string>,
  { keepAliveMs, stallMs, onGone }: EventStreamOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const encoder = new TextEncoder();
  let coming: Promise<IteratorResult<string>> | null = null;
  let tellSilence: ((silence: null) => void) | null = null;
  let isWanted = false;
  let isOver = false;
  let quietTicks = 0;

  /** What comes next, with all that has come by then: each write costs more than the text in it. Null at the end. */
  const nextTexts = async (): Promise<string | null> => {
    let gathered = '';
    while (gathered.length < GATHERED_CHARACTERS) {
      coming ??= texts.next();
      if (!(await settlesAtOnce(coming))) {
        if (gathered !== '') return gathered;
        const silence = new Promise<null>((resolve) => (tellSilence = resolve));
        if ((await Promise.race([coming, silence])) === null) return KEEP_ALIVE;
      }
      const { done, value } = await coming;
      if (done === true) return gathered === '' ? null : gathered;
      coming = null;
      gathered += value;
    }
    return gathered;
  };

  const end = (): void => {
    isOver = true;
    clearInterval(ticking);
  };
  const leave = (reason: 'left' | 'stalled'): void => {
    end();
    onGone(reason);
    texts.return(undefined).catch(() => undefined);
  };

  // One clock for the whole stream: two timers for every piece would cost more than the pieces.
  const tickMs = Math.min(keepAliveMs, stallMs);
  let fail: (error: Error) => void = () => undefined;
  const ticking = setInterval(() => {
    quietTicks += 1;
    const quietMs = (quietTicks - 1) * tickMs;
    if (isWanted && quietMs >= keepAliveMs) tellSilence?.(null);
    if (isWanted || quietMs < stallMs) return;
    leave('stalled');
    fail(new Error(`the reader took nothing for ${stallMs} ms`));
  }, tickMs);

  return new ReadableStream(
    {
      start: (controller) => {
        fail = (error) => controller.error(error);
      },
      pull: async (controller) => {
        isWanted = true;
        quietTicks = 0;
        const text = await nextTexts();
        isWanted = false;
        quietTicks = 0;
        tellSilence = null;
        if (isOver) return;
        if (text !== null) return controller.enqueue(encoder.encode(text));
        end();
        controller.close();
      },
      cancel: () => leave('left'),
    },
    { highWaterMark: 0 },
  );
};

const KEEP_ALIVE = ': keep-alive\n\n';

/** Characters from which a piece is large enough to be written. */
const GATHERED_CHARACTERS = 16 * 1024;

/** Steps of promises that a text may take through the generators between the upstream and here. */
const MOST_STEPS = 32;

const STEP = Promise.resolve();

/** Whether the work is done without anything from outside: before anything else but promises can happen. */
const settlesAtOnce = async (work: Promise<unknown>): Promise<boolean> => {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  work.then(settle, settle);
  for (let step = 0; step < MOST_STEPS && !isSettled; step += 1) await STEP;
  return isSettled;
};
