/** Whether this runtime knows the IANA time zone. Offsets such as `+01:00` are no zones: they know no summer time. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    // What it does with the name is to refuse one that it does not know.
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};
