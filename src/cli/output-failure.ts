/** What the operating system says about something that is written, in our words. */

import { ForensicsError } from '../errors.ts';
import { isFull, reasonOf, systemCodeOf } from '../errors/system-code.ts';

/** @returns `no_space_left` or `output_not_writable`; what does not come from the system as it is. */
export function toOutputFailure(error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === null) return error;
  if (isFull(code)) {
    return new ForensicsError(
      'no_space_left',
      'No space is left to write the results; free some.',
      { cause: error },
    );
  }
  return new ForensicsError(
    'output_not_writable',
    `The place for the results cannot be written (${reasonOf(code)}); choose another.`,
    { cause: error },
  );
}

/** @throws {ForensicsError} `no_space_left`, `output_not_writable`; what else `act` throws as it is. */
export async function writing<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw toOutputFailure(error);
  }
}
