/** `ENOENT`, `EACCES`, ...: what the operating system called a failure, or null when it was none of its failures. */
export function systemCodeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error || 'errno' in error)) return null;
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** A full disk, a quota and a size limit are one thing to people: what is written does not fit. */
export function isFull(code: string | null): boolean {
  return code !== null && ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
}

/** Of a link to a file: sticks, and shares of other systems, know none. */
export function knowsNoLinks(code: string | null): boolean {
  return code !== null && ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code);
}

/** What `act` gives, or null when there is no such file. */
export async function unlessMissing<T>(act: () => Promise<T>): Promise<T | null> {
  try {
    return await act();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
