/**
 * Writes one signed archive for a case: a complete bundle of each picture, which can be verified
 * and reproduced on its own, the list of the pictures, and a report on all of them. Written in
 * pieces, because a case does not fit into memory; the list and its signature come last.
 */

import { Type } from 'typebox';
import { oneOf, orNull, type Wire } from '../contract/common.ts';
import { type Language, languages, resultClasses, statuses } from '../contract/vocabulary.ts';
import {
  canonicalBytes,
  caseFormat,
  createReader,
  fileNames,
  type ZipEntry,
} from './bundle-format.ts';
import { caseReadmeDe, caseReadmeEn } from './readme.ts';
import { digestsOf, listFile, openZip, signList, type Signer, writeSums } from './sign.ts';

const text = Type.String();
const textOrNull = orNull(text);

const recordSchema = Type.Object({
  case: text,
  pictures: Type.Array(
    Type.Object({
      analysisId: text,
      /** Original file name, which may contain any characters. */
      name: text,
      status: oneOf(statuses),
      verdict: orNull(oneOf(resultClasses)),
      /** File name of the picture's bundle, and SHA-256 of picture and manifest; null without a forensic report. */
      file: textOrNull,
      sha256: textOrNull,
      manifestSha256: textOrNull,
    }),
  ),
});

/** `case.json`: every picture in the case, starting with those that need attention. */
export type CaseRecord = Wire<typeof recordSchema>;

export const parseCaseRecord = createReader(recordSchema);

interface CaseHow {
  readonly signer: Signer;
  readonly signedAt: Date;
  /** Version of the program that writes the archive. */
  readonly product: string;
}

interface CaseFacts {
  readonly record: CaseRecord;
  readonly reports: Readonly<Partial<Record<Language, Uint8Array>>>;
  readonly examinedAt: Date;
}

/**
 * `add` and `seal` return the next pieces of the archive.
 *
 * @throws {ForensicsError} `conflict` from both, when the archive would exceed 4 GiB.
 */
export function openCaseBundle({ signer, signedAt, product }: CaseHow) {
  const zip = openZip(signedAt);
  const files: ReturnType<typeof listFile>[] = [];

  function add(entry: ZipEntry): readonly Uint8Array[] {
    files.push(listFile(entry));
    return zip.add(entry);
  }

  function seal({ record, reports, examinedAt }: CaseFacts) {
    const list = canonicalBytes(record);
    const readmeFacts = { name: record.case, fingerprint: signer.fingerprint, signedAt, product };
    const pieces = [
      { name: fileNames.case, bytes: list },
      ...languages.map((language) => {
        const bytes = reports[language];
        if (bytes === undefined) throw new TypeError(`the report in ${language} is missing`);
        return { name: fileNames.report(language), bytes };
      }),
      { name: fileNames.readme.en, bytes: Buffer.from(caseReadmeEn(readmeFacts)) },
      { name: fileNames.readme.de, bytes: Buffer.from(caseReadmeDe(readmeFacts)) },
      { name: fileNames.publicKey, bytes: Buffer.from(signer.pem) },
    ].flatMap(add);
    pieces.push(...add({ name: fileNames.sums, bytes: writeSums(files) }));
    const times = { examinedAt: examinedAt.toISOString(), signedAt: signedAt.toISOString() };
    const item = { name: record.case, ...digestsOf(list), file: fileNames.case };
    const signed = signList({ format: caseFormat, product, ...times, item, files }, signer);
    pieces.push(...signed.entries.flatMap(zip.add), ...zip.end().map(({ bytes }) => bytes));
    return { pieces, manifestSha256: signed.manifestSha256 };
  }

  return { add, seal };
}
