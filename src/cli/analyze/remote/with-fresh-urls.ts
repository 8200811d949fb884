import { clocksDiffer } from '../../../client/transfer-failures.ts';
import { ForensicsError } from '../../../errors.ts';

/**
 * Presigned URLs may be old, or grow old while a slow line is busy: they are asked for anew, once.
 *
 * @throws {ForensicsError} `store_refused` when new ones are old already; what `act` throws.
 */
export async function withFreshUrls<A extends { readonly id: string }, T>(
  analysis: A,
  analyses: { read(id: string): Promise<A> },
  act: (analysis: A) => Promise<T>,
): Promise<T> {
  try {
    return await act(analysis);
  } catch (error) {
    if (!isExpiry(error)) throw error;
  }
  const fresh = await analyses.read(analysis.id);
  try {
    return await act(fresh);
  } catch (error) {
    throw isExpiry(error) ? clocksDiffer() : error;
  }
}

function isExpiry(error: unknown): boolean {
  return error instanceof ForensicsError && error.code === 'url_expired';
}
