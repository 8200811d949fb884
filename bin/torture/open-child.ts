/** A child of the pool that opens pictures and PDFs and reads all their metadata, without looking for traces. */

import { readProvenance } from '../../src/provenance/read-provenance.ts';
import { sniffOther } from '../../src/image/file-kind.ts';
import { listPdfParts, readPdfPart } from '../../src/image/pdf.ts';
import { localLimits } from '../../src/image/picture.ts';
import { serveTasks } from '../../src/examiner/child-side.ts';
import { openPicture } from '../../src/examiner/open-picture.ts';

serveTasks(async (task) => {
  if (!(task instanceof Uint8Array)) throw new TypeError('Expected the bytes of a picture.');
  if (sniffOther(task).kind === 'pdf') return openPdf(task);
  const { bytes, picture } = await openPicture({ bytes: task }, localLimits);
  const { credentials } = await readProvenance(bytes, picture, { trustList: null });
  return credentials === null ? 'without credentials' : `credentials ${credentials.integrity}`;
});

async function openPdf(task: Uint8Array): Promise<string> {
  const { parts } = await listPdfParts(task, localLimits);
  for (const part of parts) await readPdfPart(task, part, localLimits);
  return `${parts.length} parts`;
}
