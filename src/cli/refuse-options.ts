import { usageError } from './failure.ts';

/**
 * Options that would do nothing are refused, so that nobody relies on what will not come.
 *
 * @param why - as the end of a sentence that begins with their names.
 * @throws {ForensicsError} `usage` when one of them is given.
 */
export function refuseOptions(given: Readonly<Record<string, boolean>>, why: string): void {
  const names = Object.keys(given).filter((name) => given[name] === true);
  if (names.length > 0) throw usageError(`${names.join(', ')} ${why}`);
}
