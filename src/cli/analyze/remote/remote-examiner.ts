/** Examines on a server, through `/v1`. */

import { ForensicsError } from '../../../errors.ts';
import type { PrepareExaminer } from '../examiner.ts';

export const prepareRemote: PrepareExaminer = async () => {
  throw new ForensicsError('not_offered', 'A server cannot be asked yet.');
};
