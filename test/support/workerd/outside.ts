import { setTimeout as sleep } from 'node:timers/promises';
import { ReadableStream } from 'node:stream/web';
import { Response, type Request } from 'miniflare';

/** The Node side of tests inside workerd: what every host of the outside world answers. */
export const outside = async (request: Request): Promise<Response> => {
  const { pathname, searchParams } = new URL(request.url);
  switch (pathname) {
    case '/text':
      return new Response('some text');
    case '/echo':
      return new Response(`${request.method} ${await request.text()}`);
    case '/redirect':
      return new Response(null, { status: 302, headers: { location: searchParams.get('to') ?? '' } });
    case '/loop':
      return new Response(null, { status: 302, headers: { location: '/loop' } });
    case '/bytes':
      return new Response(new Uint8Array(Number(searchParams.get('length'))));
    case '/endless':
      return new Response(ReadableStream.from(Array.from({ length: 100 }, () => new Uint8Array(1_000))));
    case '/silence':
      await sleep(2_000);
      return new Response('too late');
    default:
      return new Response(null, { status: 404 });
  }
};
