import { describe, expect, it } from 'vitest';
import { createResourceAddresses } from '../../../src/lib/resource-addresses.ts';

const ID = 'res_01JABCDEFGHJKMNPQRSTVWXYZ0';
const OTHER = 'res_01JABCDEFGHJKMNPQRSTVWXYZ1';
const NOW = Date.parse('2026-11-30T12:00:00Z');

const addresses = ({
  secrets = ['first secret'] as [string, ...string[]],
  now = NOW,
  linkMs = 3_600_000,
  baseUrl = 'https://vcp.example',
} = {}) => createResourceAddresses({ baseUrl: () => baseUrl, secrets, limits: { linkMs }, now: () => now });

const signatureOf = async (from = addresses(), expiresAt = NOW + 60_000) =>
  from.read(await from.signedUrlOf(ID, 'a.png', expiresAt))!.signature!;

describe('a signed address', () => {
  it('is that of the resource, with its end and a signature', async () => {
    expect(await addresses().signedUrlOf(ID, '月 1.png', NOW + 60_999)).toMatch(
      /^https:\/\/vcp\.example\/v1\/resources\/res_01JABCDEFGHJKMNPQRSTVWXYZ0\/%E6%9C%88%201\.png\?exp=1796040060&sig=[A-Za-z0-9_-]{43}$/,
    );
  });

  it('is signed the same way for ever: links survive an upgrade', async () => {
    expect((await signatureOf()).sig).toBe('4OsIFdc52o_ugOPQxsFE-dbPsu756gACuUCFQapBc8c');
  });

  it('opens its resource until its end', async () => {
    const signature = await signatureOf();
    expect(await addresses({ now: NOW + 59_999 }).judge(ID, signature)).toBe('valid');
    expect(await addresses({ now: NOW + 60_000 }).judge(ID, signature)).toBe('expired');
  });

  it('opens nothing else, and no longer', async () => {
    const { exp, sig } = await signatureOf();
    const later = String(Number(exp) + 1);
    expect(await addresses().judge(OTHER, { exp, sig })).toBe('forged');
    expect(await addresses().judge(ID, { exp: later, sig })).toBe('forged');
    for (const wrong of [`0${exp}`, `${exp}.0`, `+${exp}`, '', 'Infinity', '-1', '1e12', ' ']) {
      expect(await addresses().judge(ID, { exp: wrong, sig })).toBe('forged');
    }
  });

  it('is none with any character of its signature changed, left out or added', async () => {
    const { exp, sig } = await signatureOf();
    for (let at = 0; at < sig.length; at += 1) {
      const other = sig[at] === 'A' ? 'B' : 'A';
      expect(await addresses().judge(ID, { exp, sig: sig.slice(0, at) + other + sig.slice(at + 1) })).toBe('forged');
    }
    for (const wrong of ['', sig.slice(1), `${sig}A`, `${sig}=`, `${sig} `, sig.toLowerCase(), '%00', 'é'.repeat(43)]) {
      expect(await addresses().judge(ID, { exp, sig: wrong })).toBe('forged');
    }
  });

  it('has one spelling', async () => {
    const { exp, sig } = await signatureOf();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const verdicts = await Promise.all(
      [...alphabet].map((last) => addresses().judge(ID, { exp, sig: sig.slice(0, -1) + last })),
    );
    expect(verdicts.filter((verdict) => verdict === 'valid')).toHaveLength(1);
  });

  it('is none under another secret, and one under an older that is still accepted', async () => {
    const signature = await signatureOf();
    expect(await addresses({ secrets: ['second secret'] }).judge(ID, signature)).toBe('forged');
    expect(await addresses({ secrets: ['second secret', 'first secret'] }).judge(ID, signature)).toBe('valid');
    const fresh = await signatureOf(addresses({ secrets: ['second secret', 'first secret'] }));
    expect(await addresses().judge(ID, fresh)).toBe('forged');
  });

  it('opens nothing when it would last longer than the server allows now', async () => {
    const signature = await signatureOf(addresses(), NOW + 3_000_000);
    expect(await addresses().judge(ID, signature)).toBe('valid');
    expect(await addresses({ linkMs: 60_000 }).judge(ID, signature)).toBe('expired');
  });
});

describe('an address that somebody gives', () => {
  it.each<[string, unknown]>([
    [`https://vcp.example/v1/resources/${ID}`, { id: ID, signature: null }],
    [`https://vcp.example:443/v1/resources/${ID}/a%20b.png?x=1#y`, { id: ID, signature: null }],
    [`https://vcp.example/v1/resources/${ID}/a.png?exp=1&sig=x`, { id: ID, signature: { exp: '1', sig: 'x' } }],
    [`https://vcp.example/v1/resources/${ID}/a.png?exp=1`, { id: ID, signature: null }],
    [`http://vcp.example/v1/resources/${ID}`, null],
    [`https://vcp.example.evil/v1/resources/${ID}`, null],
    [`https://evil/https://vcp.example/v1/resources/${ID}`, null],
    [`https://vcp.example/v1/results/${ID}`, null],
    [`https://vcp.example/v1/resources/${ID}/a/b`, null],
    [`https://vcp.example/v1/resources/nothing`, null],
    [`/v1/resources/${ID}`, null],
    ['data:text/plain,x', null],
    ['', null],
  ])('%j is read as %j', (url, read) => {
    expect(addresses().read(url)).toEqual(read);
  });

  it('is read below the path that the server has', () => {
    const below = addresses({ baseUrl: 'https://vcp.example/tools' });
    expect(below.read(`https://vcp.example/tools/v1/resources/${ID}`)).toEqual({ id: ID, signature: null });
    expect(below.read(`https://vcp.example/v1/resources/${ID}`)).toBeNull();
    expect(below.read(below.urlOf(ID, 'a'))).toEqual({ id: ID, signature: null });
  });
});
