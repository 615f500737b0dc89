import ipaddr from 'ipaddr.js';

/** Addresses that an operator opens although they are not public, such as `10.1.0.0/16`. */
export type AddressRange = { readonly base: ipaddr.IPv4 | ipaddr.IPv6; readonly prefix: number };

/**
 * `10.0.0.0/8`, `fd00::/8`, or one address; null for what is neither. IPv4 is four decimal numbers here: `10.1/16` would
 * be 10.0.0.1/16 to a parser that knows short notations, and open what nobody meant.
 */
export const parseAddressRange = (text: string): AddressRange | null => {
  const [address = ''] = text.split('/');
  if (!address.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(address)) return null;
  try {
    if (text.includes('/')) {
      const [base, prefix] = ipaddr.parseCIDR(text);
      return { base, prefix };
    }
    const base = ipaddr.parse(text);
    return { base, prefix: base.kind() === 'ipv4' ? 32 : 128 };
  } catch {
    return null;
  }
};

/**
 * Why a request that somebody else chose must not go to this address, or null where it may: only what is reachable from
 * the whole internet is open, everything else belongs to the host or its network. IPv4 in any notation (decimal, octal,
 * hexadecimal, short) and inside IPv6 is judged as the address that it stands for.
 */
export const addressRefusal = (address: string, allowed: readonly AddressRange[] = []): string | null => {
  let parsed: ipaddr.IPv4 | ipaddr.IPv6;
  try {
    parsed = ipaddr.parse(address.replace(/^\[(.*)\]$/, '$1'));
  } catch {
    return 'it is no IP address';
  }
  const meant = standsFor(parsed);
  if (allowed.some((range) => isWithin(meant, range) || isWithin(parsed, range))) return null;
  return meant.kind() === 'ipv4' ? refusalOf4(meant as ipaddr.IPv4) : refusalOf6(meant as ipaddr.IPv6);
};

const refusalOf4 = (address: ipaddr.IPv4): string | null => {
  if (address.toString() === PLATFORM_ADDRESS) return "it is the host platform's own (metadata)";
  const range = address.range();
  return range === 'unicast' ? null : `it is ${RANGE_NAMES[range] ?? 'reserved'}`;
};

const refusalOf6 = (address: ipaddr.IPv6): string | null => {
  const range = address.range();
  if (range !== 'unicast') return `it is ${RANGE_NAMES[range] ?? 'reserved'}`;
  return isWithin(address, GLOBAL_UNICAST) ? null : 'it is reserved';
};

/** An IPv4 address inside an IPv6 one, where a router or the system itself would send to that. */
const standsFor = (address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 => {
  if (address.kind() === 'ipv4') return address;
  const six = address as ipaddr.IPv6;
  if (six.isIPv4MappedAddress()) return six.toIPv4Address();
  if (!isWithin(six, NAT64)) return six;
  return new ipaddr.IPv4(six.toByteArray().slice(12));
};

const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, { base, prefix }: AddressRange): boolean =>
  address.kind() === base.kind() && address.match(base, prefix);

const range6 = (base: string, prefix: number): AddressRange => ({ base: ipaddr.IPv6.parse(base), prefix });

/** All that IANA has given out for the internet; tunnels inside it (6to4, Teredo) have a range of their own. */
const GLOBAL_UNICAST = range6('2000::', 3);
const NAT64 = range6('64:ff9b::', 96);
/** Azure serves credentials of the machine from a public address. Others use link-local or shared ones. */
const PLATFORM_ADDRESS = '168.63.129.16';

const RANGE_NAMES: Readonly<Record<string, string>> = {
  unspecified: 'unspecified',
  broadcast: 'broadcast',
  multicast: 'multicast',
  linkLocal: 'link-local',
  loopback: 'loopback',
  carrierGradeNat: 'shared (carrier-grade NAT)',
  private: 'private',
  uniqueLocal: 'private (unique local)',
  '6to4': 'a 6to4 tunnel',
  teredo: 'a Teredo tunnel',
};
