/** What the doctor has looked at, and what to do about it when it is not well. */
export type Finding = {
  readonly state: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly detail: string;
  readonly advice: string | null;
};

export const ok = (subject: string, detail: string): Finding => ({ state: 'ok', subject, detail, advice: null });
export const warn = (subject: string, detail: string, advice: string): Finding => ({
  state: 'warn',
  subject,
  detail,
  advice,
});
export const fail = (subject: string, detail: string, advice: string): Finding => ({
  state: 'fail',
  subject,
  detail,
  advice,
});
