/** Who examines: the server that the options or the environment name, else this machine. */

import { refuseOptions } from '../refuse-options.ts';
import { isRemote } from '../service-options.ts';
import type { PrepareExaminer } from './examiner.ts';

export const prepareExaminer: PrepareExaminer = async (options) => {
  if (isRemote(options)) {
    const { prepareRemote } = await import('./remote/remote-examiner.ts');
    return prepareRemote(options);
  }
  const { tenant, resume, wait } = options;
  refuseOptions(
    { '--tenant': tenant !== undefined, '--resume': resume, '--no-wait': !wait },
    'is for a server; add --url.',
  );
  const { prepareLocal } = await import('./local-examiner.ts');
  return prepareLocal(options);
};
