/**
 * The addresses that one client can be expected to have: of IPv6 the /64 network that its machine is in, else the
 * address itself. An IPv4 address written as IPv6 (`::ffff:192.0.2.1`) is the IPv4 address.
 */
export const addressGroup = (address: string): string => {
  const [plain = ''] = address.split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  // An IPv4 address at the end takes two of the eight groups.
  const missing = tail === undefined ? 0 : 8 - left.length - right.length - (plain.includes('.') ? 1 : 0);
  const groups = [...left, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...right];
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
};
