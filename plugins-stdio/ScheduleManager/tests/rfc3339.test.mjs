import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareInstants, parseRfc3339 } from '../rfc3339.mjs';

const valid = [
  '2026-07-12T10:00:00+08:00',
  '2026-07-12T10:00:00Z',
  '2026-07-12t10:00:00z',
  '2026-07-12T10:00:00-00:00',
  '2026-07-12T10:00:00.000000000001Z',
  '2026-07-12T23:59:59+23:59',
  '2026-07-12T00:00:00-23:59',
  '2024-02-29T00:00:00Z',
  '2000-02-29T00:00:00Z',
  '0000-02-29T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '1998-12-31T23:59:60Z',
  '1998-12-31T23:59:60.5Z',
  '1998-12-31T15:59:60.123-08:00',
  '2017-01-01T07:59:60+08:00',
  '2015-07-01T05:29:60+05:30',
  '2024-02-29T23:59:60Z',
];
const invalid = [
  ['', /does not read/],
  ['2026-07-12', /does not read/],
  ['2026-07-12T10:00:00', /does not read/],
  ['2026-07-12 10:00:00Z', /does not read/],
  ['2026-07-12T10:00Z', /does not read/],
  ['2026-7-12T10:00:00Z', /does not read/],
  ['2026-07-12T10:00:00.Z', /does not read/],
  ['2026-07-12T10:00:00,5Z', /does not read/],
  ['2026-07-12T10:00:00+0800', /does not read/],
  ['2026-07-12T10:00:00+08', /does not read/],
  ['2026-07-12T10:00:00+08:00 ', /does not read/],
  [' 2026-07-12T10:00:00Z', /does not read/],
  ['2026-07-12T10:00:00Z\n', /does not read/],
  ['+12026-07-12T10:00:00Z', /does not read/],
  ['-2026-07-12T10:00:00Z', /does not read/],
  ['２０２６-07-12T10:00:00Z', /does not read/],
  ['2026-07-12T10:00:00−08:00', /does not read/],
  ['tomorrow', /does not read/],
  [`2026-07-12T10:00:00.${'0'.repeat(60)}Z`, /longer than 64/],
  ['2026-00-12T10:00:00Z', /month 00/],
  ['2026-13-12T10:00:00Z', /month 13/],
  ['2026-07-00T10:00:00Z', /July 2026 has no day 00/],
  ['2026-07-32T10:00:00Z', /July 2026 has no day 32/],
  ['2026-04-31T10:00:00Z', /April 2026 has no day 31/],
  ['2026-02-29T10:00:00Z', /February 2026 has no day 29/],
  ['2024-02-30T10:00:00Z', /February 2024 has no day 30/],
  ['1900-02-29T10:00:00Z', /February 1900 has no day 29/],
  ['2100-02-29T10:00:00Z', /February 2100 has no day 29/],
  ['2026-07-12T24:00:00Z', /hour 24/],
  ['2026-07-12T10:60:00Z', /minute 60/],
  ['2026-07-12T10:00:61Z', /second 61/],
  ['2026-07-12T10:00:00+24:00', /offset/],
  ['2026-07-12T10:00:00+08:60', /offset/],
  ['1998-12-31T23:58:60Z', /leap second/],
  ['1998-12-31T22:59:60Z', /leap second/],
  ['1998-12-30T23:59:60Z', /leap second/],
  ['1998-12-31T23:59:60+01:00', /leap second/],
  ['2023-02-29T23:59:60Z', /no day 29/],
];

for (const text of valid) {
  test(`accepts ${text}`, () => assert.equal(parseRfc3339(text).fault, undefined));
}
for (const [text, fault] of invalid) {
  test(`refuses ${JSON.stringify(text)}`, () => assert.match(parseRfc3339(text).fault, fault));
}

test('agrees with the platform on the instant of ordinary times', () => {
  for (const text of [
    '2026-07-12T10:00:00+08:00',
    '1969-12-31T23:59:59-05:30',
    '0099-03-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
  ]) {
    assert.equal(parseRfc3339(text).instant.seconds * 1000, Date.parse(text), text);
  }
});

test('orders instants across offsets, fractions and leap seconds', () => {
  const ascending = [
    '0000-01-01T00:00:00+23:59',
    '2016-12-31T23:59:59Z',
    '2016-12-31T23:59:59.09Z',
    '2016-12-31T23:59:59.1Z',
    '2016-12-31T23:59:59.999999999Z',
    '2017-01-01T07:59:60+08:00',
    '2016-12-31T23:59:60.5Z',
    '2017-01-01T00:00:00Z',
    '2026-07-12T10:00:00+08:00',
    '2026-07-11T22:00:00-05:00',
  ];
  const instants = ascending.map((text) => parseRfc3339(text).instant);
  assert.deepEqual(instants.toReversed().toSorted(compareInstants), instants);
  const [a, b] = ['2026-07-12T10:00:00.50+08:00', '2026-07-12T02:00:00.5Z'].map((text) => parseRfc3339(text).instant);
  assert.equal(compareInstants(a, b), 0);
});
