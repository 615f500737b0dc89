import { describe, expect, it } from 'vitest';
import { addressRefusal, parseAddressRange } from '../../../src/lib/address-policy.ts';

const refused = (address: string) => addressRefusal(address);

describe('the address policy', () => {
  it.each([
    '93.184.215.14',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '[2a00:1450:4001:830::200e]',
    '::ffff:93.184.215.14',
    '64:ff9b::5db8:d70e',
  ])('opens %s', (address) => {
    expect(refused(address)).toBeNull();
  });

  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['127.1', 'loopback'],
    ['2130706433', 'loopback'],
    ['0x7f000001', 'loopback'],
    ['0x7f.0.0.1', 'loopback'],
    ['0177.0.0.1', 'loopback'],
    ['017700000001', 'loopback'],
    ['::1', 'loopback'],
    ['[::1]', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['64:ff9b::127.0.0.1', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['::ffff:192.168.1.1', 'private'],
    ['fc00::1', 'private (unique local)'],
    ['fd00:ec2::254', 'private (unique local)'],
    ['169.254.169.254', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['100.64.0.1', 'shared (carrier-grade NAT)'],
    ['100.100.100.200', 'shared (carrier-grade NAT)'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['240.0.0.1', 'reserved'],
    ['192.0.0.192', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['198.51.100.7', 'reserved'],
    ['203.0.113.7', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['192.88.99.1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['3fff::1', 'reserved'],
    ['fec0::1', 'reserved'],
    ['100::1', 'reserved'],
    ['64:ff9b:1::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['2002:7f00:1::', 'a 6to4 tunnel'],
    ['2002:5db8:d70e::', 'a 6to4 tunnel'],
    ['2001:0:5db8:d70e::1', 'a Teredo tunnel'],
  ])('refuses %s: it is %s', (address, kind) => {
    expect(refused(address)).toBe(`it is ${kind}`);
  });

  it('refuses an IPv4-compatible address, which no network routes', () => {
    expect(refused('::7f00:1')).not.toBeNull();
    expect(refused('::5db8:d70e')).not.toBeNull();
  });

  it('refuses the public address of a host platform', () => {
    expect(refused('168.63.129.16')).toBe("it is the host platform's own (metadata)");
    expect(refused('::ffff:168.63.129.16')).toBe("it is the host platform's own (metadata)");
  });

  it.each(['', 'localhost', '1.2.3.4.5', '256.1.1.1', '1.2.3.4/8', ':::1', '127.0.0.1\u0000'])(
    'refuses %j, which is no address',
    (text) => {
      expect(refused(text)).toBe('it is no IP address');
    },
  );

  it('opens what the operator allows, in every notation, and nothing beside it', () => {
    const allowed = ['10.1.0.0/16', 'fd12::/16', '127.0.0.1'].map((text) => parseAddressRange(text)!);
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '0x0a010203', 'fd12::7', '127.0.0.1', '2130706433'])
      expect(addressRefusal(address, allowed)).toBeNull();
    for (const address of ['10.2.0.1', 'fd13::7', '127.0.0.2', '::1'])
      expect(addressRefusal(address, allowed)).not.toBeNull();
  });

  it.each([
    '',
    '10.0.0.0/33',
    'example.com',
    '10.0.0.0/',
    'fd00::/129',
    '10/8',
    '10.1/16',
    '010.0.0.0/8',
    '0x0a000001',
  ])('takes %j for no range', (text) => {
    expect(parseAddressRange(text)).toBeNull();
  });
});
