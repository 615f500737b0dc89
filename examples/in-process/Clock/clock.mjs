// Runs inside the server: no process, no frames. The operator has to trust it by its SHA-256.

export function processToolCall({ timeZone = 'UTC' }) {
  const now = new Date();
  try {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'long' });
    const text = format.format(now);
    return { status: 'success', data: { time: now.toISOString(), timeZone, text }, presentation: { summary: text } };
  } catch {
    const message = 'there is no such time zone; give an IANA name such as Asia/Shanghai';
    const error = { code: 'CLOCK.NO_SUCH_ZONE', message, target: 'timeZone' };
    return { status: 'error', data: null, error };
  }
}
