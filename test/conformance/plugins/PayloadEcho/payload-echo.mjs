/** Returns the payload that it is told to return (§10.2): what a plugin might answer, said by a test. */
export const processToolCall = async (args, { resourceWriter }) => {
  if (args.command === 'Linger') await new Promise((resolve) => setTimeout(resolve, 500));
  if (args.command !== 'WriteResource') return args.payload;
  const bytes = new TextEncoder().encode(args.text);
  const resourceId = await resourceWriter.write(bytes, { fileName: 'written.txt', mimeType: 'text/plain' });
  return { status: 'success', data: { file: { $resource: 'written' } }, resources: [{ id: 'written', resourceId }] };
};
