const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'; // Crockford's Base32
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

/** A new ULID: 48 bits of milliseconds since 1970, then 80 bits of cryptographic randomness. */
export function ulid(now = Date.now()) {
  let time = '';
  for (let rest = now; time.length < TIME_LENGTH; rest = Math.floor(rest / 32)) {
    time = ALPHABET[rest % 32] + time;
  }
  // The global loads on first use, so a listing does not pay for it. 256 is a multiple of 32: no bias.
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH));
  return time + Array.from(bytes, (byte) => ALPHABET[byte % 32]).join('');
}
