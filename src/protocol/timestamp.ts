import { z } from 'zod';

/** An RFC 3339 instant. The core writes UTC with `Z` and milliseconds; it reads any offset. */
export const Timestamp = z.iso.datetime({ offset: true }).meta({ description: 'RFC 3339 date and time' });
