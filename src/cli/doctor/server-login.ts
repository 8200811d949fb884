import { diagnose, type Diagnosis, messageOf } from '../../app/doctor/diagnosis.ts';
import type { Api } from '../../client/api.ts';
import { ForensicsError } from '../../errors.ts';
import { checkAccess } from '../server/check-access.ts';

/** Whether the server knows who asks, and lets them act for the tenant. */
export async function checkCredentials(
  api: Pick<Api, 'ask'>,
  tenant: string | null,
): Promise<Diagnosis> {
  const { ok, warning, failed } = diagnose('credentials', tenant);
  if (tenant === null) {
    return warning('Not checked, as no tenant was named.', 'Name it: --tenant NAME');
  }
  try {
    await checkAccess(api, tenant);
    return ok(`They are accepted, and may act for the tenant ${tenant}.`);
  } catch (error) {
    return failed(messageOf(error), fixFor(error));
  }
}

function fixFor(error: unknown): string {
  const code = error instanceof ForensicsError ? error.code : null;
  if (code === 'unauthenticated') {
    return 'Take a key that is valid (forensics keys list --expiring-within 1d), or log in again: forensics login';
  }
  return code === 'forbidden'
    ? 'Name a key of this tenant (--api-key-file FILE, FORENSICS_API_KEY), or log in: forensics login'
    : 'Try again in a while; "forensics doctor" on the machine of the server tells more.';
}
