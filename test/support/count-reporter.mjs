// A reporter for `node --test` that writes nothing but the totals, as JSON.
export default async function* countReporter(source) {
  for await (const event of source) {
    // One summary closes each file; the last one, without a file, closes the run.
    if (event.type !== 'test:summary' || event.data.file !== undefined) continue;
    const { passed, failed, cancelled, skipped, todo } = event.data.counts;
    yield JSON.stringify({ passed, failed: failed + cancelled, skipped: skipped + todo });
  }
}
