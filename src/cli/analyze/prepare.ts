/** Who examines: the server that the options or the environment name, else this machine. */

import { usageError } from '../failure.ts';
import { isRemote } from '../service-options.ts';
import type { PrepareExaminer } from './examiner.ts';
import type { AnalyzeOptions } from './options.ts';

export const prepareExaminer: PrepareExaminer = async (options) => {
  if (isRemote(options)) {
    const { prepareRemote } = await import('./remote/remote-examiner.ts');
    return prepareRemote(options);
  }
  refuseOptionsOfServers(options);
  const { prepareLocal } = await import('./local-examiner.ts');
  return prepareLocal(options);
};

function refuseOptionsOfServers({ tenant, resume, wait }: AnalyzeOptions): void {
  const given = [
    ...(tenant === undefined ? [] : ['--tenant']),
    ...(resume ? ['--resume'] : []),
    ...(wait ? [] : ['--no-wait']),
  ];
  if (given.length > 0) throw usageError(`${given.join(', ')} is for a server; add --url.`);
}
