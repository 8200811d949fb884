/** The code of the error that `act` throws, or `admitted` if it throws none. */

export async function codeOf(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code);
    throw error;
  }
  return 'admitted';
}
