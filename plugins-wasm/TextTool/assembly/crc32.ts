/** The CRC of zip, gzip and PNG, the highest byte first. */
export function crc32(data: Uint8Array): Uint8Array {
  let crc: u32 = 0xffffffff;
  for (let at = 0; at < data.length; at++) {
    crc ^= data[at];
    for (let bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0xedb88320 & (0 - (crc & 1)));
  }
  const bytes = new Uint8Array(4);
  store<u32>(bytes.dataStart, bswap(~crc));
  return bytes;
}
