import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressGuard } from './address-guard.ts';

class AddressRefused extends Error {
  readonly code = 'address_refused';
}

/** The guard where connections are made: names after their resolution, literals before the connection. */
export function createConnectionGuard(guard: AddressGuard, resolve: typeof lookup = lookup) {
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
    /** Answers only addresses that are allowed; fails with the code `address_refused` when none is left. */
    lookup: guardedLookup,
    /** Why this host may not be connected to: null for a name, which `lookup` judges, and for an allowed address. */
    refusalOf(host: string): Error | null {
      const address = host.replace(/^\[|\]$/g, '');
      return isIP(address) === 0 || guard.isAllowed(address) ? null : new AddressRefused();
    },
  };
}
