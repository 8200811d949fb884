import { lookup, type LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import {
  createAddressGuard,
  createConnectionGuard,
} from '../../../../src/ports/network/address-guard.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const guardOf = (...allow: string[]) => createConnectionGuard(createAddressGuard(allow));
const four = (address: string) => ({ address, family: 4 });
const six = (address: string) => ({ address, family: 6 });

/** The addresses that a socket gets for a name that resolves to `found`, or the code of the error. */
async function resolveName(found: readonly LookupAddress[], all: boolean): Promise<unknown> {
  const answer = (_name: string, _options: object, callback: (...found: unknown[]) => void) =>
    callback(null, found);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only overload that the guard calls
  const resolve = answer as unknown as typeof lookup;
  const guard = createConnectionGuard(createAddressGuard(['external']), resolve);
  return new Promise((settle) => {
    guard.lookup('receiver.example', { all }, (error, address) =>
      settle(error === null ? address : error.code),
    );
  });
}

test('only the allowed addresses of a name are returned, in any order', async () => {
  const mixed = [
    four('127.0.0.1'),
    six('::ffff:169.254.169.254'),
    four('1.1.1.1'),
    six('64:ff9b::7f00:1'),
    six('2606:4700::1111'),
  ];

  expect(await resolveName(mixed, true)).toEqual([four('1.1.1.1'), six('2606:4700::1111')]);
  expect(await resolveName(mixed, false)).toBe('1.1.1.1');
});

test('a name without an allowed address is rejected', async () => {
  const inside = [four('10.0.0.1'), four('100.64.0.1'), four('0.0.0.0'), six('::'), six('fd12::1')];

  expect(await resolveName(inside, true)).toBe('no_address');
  expect(await resolveName(inside, false)).toBe('no_address');
  expect(await resolveName([], true)).toBe('no_address');
});

test('an address is checked immediately, with or without brackets', () => {
  const guard = guardOf('external');

  expect(guard.refusalOf('[::1]')).toMatchObject({ code: 'address_refused' });
  expect(guard.refusalOf('127.0.0.1')).toMatchObject({ code: 'address_refused' });
  expect(guard.refusalOf('1.1.1.1')).toBeNull();
  expect(guard.refusalOf('receiver.example')).toBeNull();
});

test('localhost is checked immediately, and allowed if any of its addresses is', () => {
  const names = ['localhost', 'LocalHost.', 'app.localhost'];

  for (const name of names) {
    expect(guardOf('external', 'private').refusalOf(name)).toEqual(refusal('address_refused'));
    expect(guardOf('127.0.0.0/8').refusalOf(name)).toBeNull();
    expect(guardOf('::1/128').refusalOf(name)).toBeNull();
  }
  expect(guardOf('external').refusalOf('localhost.example')).toBeNull();
  expect(guardOf('external').refusalOf('mylocalhost')).toBeNull();
});
