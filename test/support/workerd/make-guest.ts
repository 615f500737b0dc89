import { Response, type Request } from 'miniflare';
import type { GuestText } from '../guest-wat.ts';
import { sandboxModule } from '../sandbox-module.ts';

/** The Node side of tests inside workerd: a guest's text comes in, its instrumented bytes and their digest go out. */
export const makeGuest = async (request: Request): Promise<Response> => {
  const { guest, memoryPages } = (await request.json()) as { guest: GuestText; memoryPages?: number };
  const { bytes, digest } = await sandboxModule(guest, memoryPages);
  return new Response(bytes, { headers: { digest } });
};
