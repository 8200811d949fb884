import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressGuard } from './address-guard.ts';

class AddressRefused extends Error {
  readonly code = 'address_refused';
}

/** Asked where connections are made. Its errors have the code `address_refused`. */
export interface ConnectionGuard {
  /** Answers only addresses that are allowed, and fails when none is left. */
  readonly lookup: LookupFunction;
  /**
   * Why this host may not be connected to: null for a name, which `lookup` judges, and for an allowed address. Localhost
   * counts as the addresses that it always stands for.
   */
  refusalOf(host: string): Error | null;
}

/** Judges names after their resolution, and addresses before the connection. */
export function createConnectionGuard(
  guard: AddressGuard,
  resolve: typeof lookup = lookup,
): ConnectionGuard {
  const guardedLookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const allowed = found.filter(({ address }) => guard.isAllowed(address));
      const first = allowed[0];
      if (first === undefined) return callback(new AddressRefused(), '');
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

/** @see RFC 6761, section 6.3, for names that no resolver may be asked for. */
function literalAddresses(host: string): readonly string[] {
  if (/^(?:.+\.)?localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
  const address = host.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? [] : [address];
}
