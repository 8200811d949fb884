/** What every door answers a credential that does not hold. */

import { ForensicsError } from '../errors.ts';

/** @param message - alike for causes that nobody may tell apart, such as an unknown and a wrong one. */
export function unauthenticated(message: string): ForensicsError {
  return new ForensicsError('unauthenticated', message);
}
