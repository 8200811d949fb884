import { describe, expect, test } from 'vitest';
import { createAddressGuard } from '../../../../src/ports/network/address-guard.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const inside = [
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['loopback', '::1'],
  ['this host', '0.0.0.0'],
  ['this host', '::'],
  ['link-local and cloud metadata', '169.254.169.254'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['carrier-grade NAT and cloud metadata', '100.100.100.200'],
  ['multicast', '224.0.0.1'],
  ['multicast', 'ff02::1'],
  ['broadcast', '255.255.255.255'],
  ['documentation', '192.0.2.1'],
  ['benchmark', '198.18.0.1'],
  ['mapped loopback', '::ffff:127.0.0.1'],
  ['mapped loopback in hex', '::ffff:7f00:1'],
  ['mapped metadata', '0:0:0:0:0:ffff:a9fe:a9fe'],
  ['compatible loopback', '::127.0.0.1'],
  ['loopback through NAT64', '64:ff9b::7f00:1'],
  ['loopback through 6to4', '2002:7f00:1::'],
  ['Teredo', '2001:0:1::1'],
  ['no address', 'localhost'],
  ['no address', ''],
] as const;
const privateAddresses = [
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  'fd12::1',
  '::ffff:10.0.0.1',
];
const metadata = `
  169.254.169.254 169.254.170.2 169.254.42.42 100.100.100.200 168.63.129.16 192.0.0.192
  fe80::a9fe:a9fe%eth0 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:42::42
  fd00:c1::a9fe:a9fe fd00:a9fe:a9fe::1 fd00:100::100:200 ::ffff:100.100.100.200`
  .trim()
  .split(/\s+/);
const outside = ['1.1.1.1', '172.32.0.1', '192.169.0.1', '2606:4700::1111', '::ffff:8.8.8.8'];

describe('external', () => {
  const guard = createAddressGuard(['external']);

  test.each(inside)('refuses %s %j', (_, address) => {
    expect(guard.isAllowed(address)).toBe(false);
  });

  test.each(privateAddresses)('refuses the private address %s', (address) => {
    expect(guard.isAllowed(address)).toBe(false);
  });

  test.each(outside)('allows %s', (address) => {
    expect(guard.isAllowed(address)).toBe(true);
  });
});

describe('private', () => {
  const guard = createAddressGuard(['private']);

  test.each(privateAddresses)('allows %s', (address) => {
    expect(guard.isAllowed(address)).toBe(true);
  });

  test.each([...inside.map(([, address]) => address), ...outside])('refuses %j', (address) => {
    expect(guard.isAllowed(address)).toBe(false);
  });
});

test.each(metadata)('no setting allows the cloud metadata address %s', (address) => {
  const words = ['external', 'private', '0.0.0.0/0', '::/0', '169.254.0.0/16', 'fd00::/8'];

  expect(createAddressGuard(words).isAllowed(address)).toBe(false);
});

test('neighbours of metadata addresses are treated like the rest of their range', () => {
  const guard = createAddressGuard(['external', 'private', '100.64.0.0/10']);

  expect(guard.isAllowed('100.100.100.201')).toBe(true);
  expect(guard.isAllowed('168.63.129.17')).toBe(true);
  expect(guard.isAllowed('fd00:42::43')).toBe(true);
});

test('a configured range is allowed, its neighbours are not', () => {
  const guard = createAddressGuard(['127.0.0.0/8', 'fe80::/10']);

  expect(guard.isAllowed('127.0.0.1')).toBe(true);
  expect(guard.isAllowed('::ffff:127.0.0.1')).toBe(true);
  expect(guard.isAllowed('fe80::1%eth0')).toBe(true);
  expect(guard.isAllowed('128.0.0.1')).toBe(false);
  expect(guard.isAllowed('1.1.1.1')).toBe(false);
});

test('an empty list allows nothing', () => {
  expect(createAddressGuard([]).isAllowed('1.1.1.1')).toBe(false);
});

test.each(['internal', '10.0.0.0', '10.0.0.0/33', '10.0.0/8', '::/129', 'example.org', ''])(
  'the entry %j is refused',
  (word) => {
    expect(() => createAddressGuard([word])).toThrow(refusal('config_invalid'));
  },
);
