/** Extracts pictures from a PDF file in the sandbox, because the file is as untrusted as its pictures. */

import { listPdfParts, type PdfContents, readPdfPart } from '../image/pdf.ts';
import { readSource } from './open-picture.ts';
import type { PdfPartRequest, PdfRequest, TaskContext } from './requests.ts';

export async function performListPdfParts(
  { source }: PdfRequest,
  { limits }: TaskContext,
): Promise<PdfContents> {
  return listPdfParts(await readSource(source, limits), limits);
}

export async function performReadPdfPart(
  { source, part }: PdfPartRequest,
  { limits }: TaskContext,
): Promise<Uint8Array> {
  return readPdfPart(await readSource(source, limits), part, limits);
}
