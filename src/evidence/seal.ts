/** Makes an archive tamper-evident with checksums, a list of the files and its signature. A case comes in pieces. */

import { deflateRawSync } from 'node:zlib';
import { type Language, languages } from '../contract/vocabulary.ts';
import {
  canonicalBytes,
  digestsOf,
  fileNames,
  type Manifest,
  openZip,
  sha256Of,
  type ZipEntry,
} from './bundle-format.ts';
import type { CaseRecord } from './records.ts';
import type { Signer } from './sign.ts';
import { bundleFormat, caseFormat } from '../contract/verification.ts';

export interface SealedBundle {
  readonly bytes: Uint8Array;
  /** SHA-256 of the signed list, which identifies the bundle. */
  readonly manifestSha256: string;
}

export type BundleFacts = Pick<Manifest, 'product' | 'examinedAt' | 'signedAt' | 'item'>;

/** The same files, facts and key give the same bytes with one version of zlib. @param files - in archive order. */
export function sealBundle(
  files: readonly ZipEntry[],
  facts: BundleFacts,
  signer: Signer,
): SealedBundle {
  const listed = [text(fileNames.publicKey, signer.pem), ...files.map(pack)];
  const sums = writeSums(listed.map(listFile));
  const all = [{ name: fileNames.sums, bytes: sums }, ...listed];
  const seal = signList({ ...facts, format: bundleFormat, files: all.map(listFile) }, signer);
  const zip = openZip(new Date(facts.examinedAt));
  const entries = [...seal.entries, ...all].flatMap(zip.add);
  const bytes = Buffer.concat([...entries, ...zip.end().map((part) => part.bytes)]);
  return { bytes, manifestSha256: seal.manifestSha256 };
}

/** The signed list and its signature, as entries of the archive. */
function signList(list: Omit<Manifest, 'key'>, signer: Signer) {
  const key = { algorithm: 'Ed25519', fingerprint: signer.fingerprint } as const;
  const bytes = canonicalBytes({ ...list, key } satisfies Manifest);
  const entries: readonly ZipEntry[] = [
    { name: fileNames.manifest, bytes },
    { name: fileNames.signature, bytes: signer.sign(bytes) },
  ];
  return { entries, manifestSha256: sha256Of(bytes) };
}

/** Compresses a file unless it is a picture or a map, which are compressed already. */
function pack(entry: ZipEntry): ZipEntry {
  if (!/\.(?:json|pdf|html)$/.test(entry.name)) return entry;
  return { ...entry, packed: deflateRawSync(entry.bytes) };
}

type ListedFile = Manifest['files'][number];

function listFile({ name, bytes, packed }: ZipEntry): ListedFile {
  const file = { name, sizeBytes: bytes.length, sha256: sha256Of(bytes) };
  return packed === undefined ? file : { ...file, packedSha256: sha256Of(packed) };
}

/** The list of checksums, in the format of `sha256sum --check`. */
function writeSums(files: readonly ListedFile[]): Buffer {
  return Buffer.from(files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
}

// A case: a complete bundle of each picture, which can be verified and reproduced on its own, the list of the pictures,
// and a report on all of them. Written in pieces, because a case does not fit into memory; the list and its signature
// come last.

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

/** `add` and `seal` return the archive's next pieces. @throws {ForensicsError} `conflict` above 4 GiB. */
export function openCaseBundle({ signer, signedAt, product }: CaseHow) {
  const zip = openZip(signedAt);
  const files: ListedFile[] = [];

  function add(entry: ZipEntry): readonly Uint8Array[] {
    files.push(listFile(entry));
    return zip.add(entry);
  }

  function seal({ record, reports, examinedAt }: CaseFacts) {
    const list = canonicalBytes(record);
    const times = { examinedAt: examinedAt.toISOString(), signedAt: signedAt.toISOString() };
    const readmeFacts = { name: record.case, fingerprint: signer.fingerprint, product, ...times };
    const pieces = [
      { name: fileNames.case, bytes: list },
      ...languages.map((language) => {
        return { name: fileNames.report(language), bytes: present(reports, language) };
      }),
      text(fileNames.readme.en, caseReadmeEn(readmeFacts)),
      text(fileNames.readme.de, caseReadmeDe(readmeFacts)),
      text(fileNames.publicKey, signer.pem),
    ].flatMap(add);
    pieces.push(...add({ name: fileNames.sums, bytes: writeSums(files) }));
    const item = { name: record.case, ...digestsOf(list), file: fileNames.case };
    const signed = signList({ format: caseFormat, product, ...times, item, files }, signer);
    pieces.push(...signed.entries.flatMap(zip.add), ...zip.end().map(({ bytes }) => bytes));
    return { pieces, manifestSha256: signed.manifestSha256 };
  }

  return { add, seal };
}

type CaseReadmeFacts = Pick<Manifest, 'product' | 'signedAt'> &
  Readonly<Record<'name' | 'fingerprint', string>>;

function caseReadmeEn({ name, fingerprint, signedAt, product }: CaseReadmeFacts): string {
  return `EVIDENCE IN A CASE

Case       ${name}
Signed     ${signedAt} (clock of the signing machine)
Program    ${product}
Key        Ed25519, fingerprint (SHA-256)
           ${fingerprint}

CONTENTS

report-en.pdf, report-de.pdf   the report on all the pictures: start here
picture-*.zip   a complete evidence bundle for each picture, with its own
                README.txt
case.json       the pictures, their results and their bundles
public-key.pem  the public half of the key that signed this and each bundle
SHA256SUMS      a checksum for each file
manifest.json   the signed list of all files
manifest.sig    the signature over manifest.json, 64 bytes

HOW TO CHECK IT

This checks the archive and every bundle in it, without a network:

  forensics verify case.zip --fingerprint FINGERPRINT

Each bundle can be extracted, checked and repeated on its own:

  forensics verify picture-0001.zip
  forensics reproduce picture-0001.zip

Its README.txt says how to check a signature without the program.
`;
}

function caseReadmeDe({ name, fingerprint, signedAt, product }: CaseReadmeFacts): string {
  return `BEWEISMITTEL EINES FALLS

Fall          ${name}
Signiert      ${signedAt} (Uhr des signierenden Rechners)
Programm      ${product}
Schlüssel     Ed25519, Fingerabdruck (SHA-256)
              ${fingerprint}

INHALT

report-de.pdf, report-en.pdf   der Bericht über alle Bilder: zuerst lesen
picture-*.zip   zu jedem Bild ein Beweispaket mit eigener LIESMICH.txt
case.json       die Liste der Bilder, ihrer Ergebnisse und Beweispakete
public-key.pem  der öffentliche Schlüssel zur Signatur
SHA256SUMS      eine Prüfsumme für jede Datei
manifest.json   die signierte Liste aller Dateien
manifest.sig    die Signatur über manifest.json, 64 Byte

PRÜFEN

Dieser Befehl prüft das Archiv und jedes Beweispaket darin, ohne Netz:

  forensics verify case.zip --fingerprint FINGERABDRUCK

Jedes Beweispaket lässt sich herausnehmen, für sich prüfen und reproduzieren:

  forensics verify picture-0001.zip
  forensics reproduce picture-0001.zip

Wie man eine Signatur ohne das Programm prüft, steht in dessen LIESMICH.txt.
`;
}

export function text(name: string, content: string): ZipEntry {
  return { name, bytes: Buffer.from(content, 'utf8') };
}

export function present<T>(reports: Readonly<Partial<Record<Language, T>>>, language: Language): T {
  const report = reports[language];
  if (report === undefined) throw new TypeError(`the report in ${language} is missing`);
  return report;
}
