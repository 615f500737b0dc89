/** What the work comes to, or null when it has come to nothing within the milliseconds; it goes on then. */
export const beforeSilence = <T>(work: Promise<T>, ms: number): Promise<T | null> => {
  const silence = Promise.withResolvers<null>();
  const timer = setTimeout(() => silence.resolve(null), ms);
  return Promise.race([work, silence.promise]).finally(() => clearTimeout(timer));
};
