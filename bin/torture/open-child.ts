/** A child of the pool that opens pictures and reads all they say about themselves, without looking for traces. */

import { readProvenance } from '../../src/provenance/read-provenance.ts';
import { localLimits } from '../../src/image/picture.ts';
import { serveTasks } from '../../src/examiner/child-side.ts';
import { openPicture } from '../../src/examiner/open-picture.ts';

serveTasks(async (task) => {
  if (!(task instanceof Uint8Array)) throw new TypeError('A task is the bytes of a picture.');
  const { bytes, picture } = await openPicture({ bytes: task }, localLimits);
  const { credentials } = await readProvenance(bytes, picture, { trustList: null });
  return credentials === null ? 'without credentials' : `credentials ${credentials.integrity}`;
});
