/** Keeps requests to targets that tenants choose out of the internal network, by the address, not the name. */

import { lookup } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import { configInvalid } from '../../contract/errors.ts';

export interface AddressGuard {
  /** @param address - an IPv4 or IPv6 address as text; anything else is not allowed. */
  isAllowed(address: string): boolean;
}

// Ranges in CIDR notation, separated by spaces.
// IANA IPv4 Special-Purpose Address Registry (RFC 6890 and successors), plus multicast and the reserved ranges.
const specialIpv4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24',
  '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3',
].join(' ');
// Of IPv6, only 2000::/3 is assigned; these parts of it are special (Teredo, 6to4, documentation).
const globalIpv6 = '2000::/3';
const specialIpv6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20';
const privateRanges = '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7';
// Addresses from which cloud machines get their credentials. No store or receiver runs there, so no setting can allow
// them. Sources: cloud-init's data source pages (Akamai, Amazon EC2, OpenStack, Oracle, Scaleway), and the clouds' own.
const metadata = [
  // Link-local, which nearly all of them use.
  '169.254.0.0/16 fe80::a9fe:a9fe/128',
  // Alibaba Cloud, IPv4 and IPv6.
  '100.100.100.200/32 fd00:100::100:200/128',
  // Azure's WireServer, a public address.
  '168.63.129.16/32',
  // Oracle Cloud: Classic, then IPv6.
  '192.0.0.192/32 fd00:c1::a9fe:a9fe/128',
  // Amazon EC2, Google Cloud, Scaleway, Akamai.
  'fd00:ec2::/32 fd20:ce::254/128 fd00:42::42/128 fd00:a9fe:a9fe::1/128',
].join(' ');

/**
 * @param allow - `external` (every public address), `private` (RFC 1918 and fc00::/7), and CIDRs such as `127.0.0.0/8`,
 *   which override everything except cloud metadata addresses.
 * @throws {ForensicsError} `config_invalid` for anything else.
 */
export function createAddressGuard(allow: readonly string[]): AddressGuard {
  const named = blockList(allow.filter((entry) => !['external', 'private'].includes(entry)));
  const special = blockList(`${specialIpv4} ${specialIpv6}`.split(' '));
  const global6 = blockList([globalIpv6]);
  const inside = blockList(privateRanges.split(' '));
  const cloud = blockList(metadata.split(' '));

  return {
    isAllowed(address) {
      const plain = unmapped(address);
      if (isIP(plain) === 0 || contains(cloud, plain)) return false;
      if (contains(named, plain)) return true;
      if (allow.includes('private') && contains(inside, plain)) return true;
      if (!allow.includes('external') || contains(special, plain)) return false;
      return isIPv4(plain) || contains(global6, plain);
    },
  };
}

/** Treats an IPv4-mapped IPv6 address (`::ffff:7f00:1`) as IPv4, and drops a zone (`%eth0`). */
function unmapped(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (isIP(bare) !== 6) return bare;
  // The URL parser normalises mapped addresses.
  const canonical = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const halves = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (halves === null) return canonical;
  const bits = halves.slice(1).map((half) => Number.parseInt(half, 16));
  return bits.flatMap((half) => [half >> 8, half & 255]).join('.');
}

/** @param ranges - in CIDR notation. */
function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [, network = '', bits = ''] = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/.exec(range) ?? [];
    const family = isIP(network);
    if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) {
      throw configInvalid(
        `"${range}" is not an address range. Write external, private, or a CIDR such as 10.1.0.0/16.`,
      );
    }
    list.addSubnet(network, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

class AddressRefused extends Error {
  readonly code = 'address_refused';
}

/** Unknown and forbidden names give the same error, so it does not reveal which names exist in the internal network. */
class NoAddress extends Error {
  readonly code = 'no_address';
}

/** Checks connections as they are made. The error code is `address_refused` for addresses, `no_address` for names. */
export interface ConnectionGuard {
  readonly lookup: LookupFunction;
  /** Null if allowed, and for a name, which `lookup` checks later; localhost counts as its fixed addresses. */
  refusalOf(host: string): Error | null;
}

/** Checks names after resolving them, and addresses before connecting. */
export function createConnectionGuard(
  guard: AddressGuard,
  resolve: typeof lookup = lookup,
): ConnectionGuard {
  const guardedLookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(new NoAddress('', { cause: error }), '');
      const allowed = found.filter(({ address }) => guard.isAllowed(address));
      const first = allowed[0];
      if (first === undefined) return callback(new NoAddress(), '');
      if (options.all === true) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };
  return {
    lookup: guardedLookup,
    refusalOf(host) {
      const addresses = literalAddresses(host);
      const isOpen = addresses.length === 0 || addresses.some((one) => guard.isAllowed(one));
      return isOpen ? null : new AddressRefused();
    },
  };
}

/** The addresses that a name has by definition; it must not be sent to a resolver. @see RFC 6761, section 6.3. */
function literalAddresses(host: string): readonly string[] {
  if (/^(?:.+\.)?localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
  const address = host.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? [] : [address];
}
