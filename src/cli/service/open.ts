/** The one place that chooses between this machine and a server. */

import { isRemote, type ServiceOptions, withApi } from '../service-options.ts';
import type { Service } from './service.ts';

/**
 * Opens the service for one act and closes it again, also when the act fails. Only what is used is loaded.
 *
 * @throws {ForensicsError} what opening either of them throws.
 */
export async function withService<T>(
  options: ServiceOptions,
  act: (service: Service) => Promise<T>,
): Promise<T> {
  if (isRemote(options)) {
    const { createRemoteService } = await import('./remote.ts');
    return withApi(options, async (api) => act(createRemoteService(api)));
  }
  const { createLocalService } = await import('./local.ts');
  const { withLocalCore } = await import('../local-core.ts');
  return withLocalCore(options, async (core, settings) => act(createLocalService(core, settings)));
}
