// A reporter for `node --test` that writes nothing but the totals, and the names of what was skipped, as JSON.
export default async function* countReporter(source) {
  const skippedNames = [];
  for await (const event of source) {
    if (event.type === 'test:pass' && event.data.skip !== undefined) {
      const reason = typeof event.data.skip === 'string' ? `: ${event.data.skip}` : '';
      skippedNames.push(`${event.data.name}${reason}`);
    }
    // One summary closes each file; the last one, without a file, closes the run.
    if (event.type !== 'test:summary' || event.data.file !== undefined) continue;
    const { passed, failed, cancelled, skipped, todo } = event.data.counts;
    yield JSON.stringify({ passed, failed: failed + cancelled, skipped: skipped + todo, skippedNames });
  }
}
