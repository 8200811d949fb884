/** `ENOENT`, `EACCES`, ...: what the operating system called a failure, or null when it was none of its failures. */
export function systemCodeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error || 'errno' in error)) return null;
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}
