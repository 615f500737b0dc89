/**
 * Headers of an upstream's answer that say something about the answer. Others are of the connection, of the operator's
 * account (limits, organisation, cookies) or about the upstream's own network.
 */
const PASSED = [
  'content-type',
  'content-language',
  'content-length',
  'cache-control',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
] as const;

export const relayedHeaders = (headers: Headers): Readonly<Record<string, string>> => {
  const passed = Object.fromEntries(
    PASSED.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  // `fetch` has decoded the body: the length was that of the encoded one.
  if (headers.has('content-encoding')) delete passed['content-length'];
  return passed;
};
