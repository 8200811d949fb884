/** Decides which files go into the bundle of one picture, under which names, and what its README says of them. Knows no tenants or stores. */

import { languages } from '../contract/vocabulary.ts';
import { type Examination, mapNames, toResultFields } from '../detectors/result.ts';
import { writeEvidence } from '../present/evidence.ts';
import {
  type BundleCase,
  canonicalBytes,
  fileNames,
  type Manifest,
  sha256Of,
  type ZipEntry,
} from './bundle-format.ts';
import type { BundleSettings, Custody } from './records.ts';
import { type BundleFacts, present, sealBundle, type SealedBundle, text } from './seal.ts';
import type { Signer } from './sign.ts';

interface BundleHow {
  /** If false, only heatmaps and reports show the picture, and metadata is included only if the item asks for it. */
  readonly withOriginal: boolean;
  readonly signer: Signer;
  readonly signedAt: Date;
}

/** The same input always gives the same bytes. @throws {TypeError} when the rendering lacks a language. */
export function writeBundle(
  given: BundleCase,
  { withOriginal, signer, signedAt }: BundleHow,
): SealedBundle {
  const { examination, item } = given;
  const { format, sizeBytes, sha256, sha512, md5 } = examination.facts;
  const file = withOriginal ? fileNames.original(format) : null;
  const facts: BundleFacts = {
    product: `forensics ${examination.environment['forensics'] ?? 'unknown'}`,
    examinedAt: item.examinedAt.toISOString(),
    signedAt: signedAt.toISOString(),
    item: { name: item.name, sizeBytes, sha256, sha512, md5, file },
  };
  const { heatmaps, rawMaps, reports } = given.rendering;
  const withHtml = languages.some((one) => reports[one]?.html !== undefined);
  const readmeFacts = { ...facts, fingerprint: signer.fingerprint, withHtml };
  const files = [
    text(fileNames.readme.en, readmeEn(readmeFacts)),
    text(fileNames.readme.de, readmeDe(readmeFacts)),
    ...reportFiles(given),
    ...recordFiles(given, withOriginal),
    ...mapNames.map((name) => ({ name: fileNames.heatmap(name), bytes: heatmaps[name] })),
    ...mapNames.map((name) => ({ name: fileNames.map(name), bytes: rawMaps[name] })),
    ...(file === null ? [] : [{ name: file, bytes: given.original }]),
  ];
  return sealBundle(files, facts, signer);
}

function recordFiles(given: BundleCase, withOriginal: boolean): readonly ZipEntry[] {
  const { examination, item, trustList } = given;
  const { credentials } = examination.provenance;
  // The list against which the signer was checked, unless it has been replaced since.
  const hasList =
    trustList !== null && credentials?.trustListSha256 === sha256Of(Buffer.from(trustList));
  const isMetadataLeftOut = !withOriginal && item.withMetadata !== true;
  const { model, measured } = examination;
  const custody = (item.custody ?? []).map((event) => ({ ...event, at: event.at.toISOString() }));
  return [
    json(fileNames.result, toResultRecord(examination, { isMetadataLeftOut })),
    json(fileNames.settings, toBundleSettings(given, isMetadataLeftOut)),
    json(fileNames.custody, custody satisfies Custody),
    json(fileNames.model, { ...model, measured }),
    ...(hasList ? [text(fileNames.trustList, trustList)] : []),
  ];
}

function reportFiles({ rendering }: BundleCase): readonly ZipEntry[] {
  const reports = languages.map((language) => {
    return { language, ...present(rendering.reports, language) };
  });
  const texts = Object.fromEntries(reports.map((report) => [report.language, report.texts]));
  return [
    ...reports.map(({ language, pdf }) => ({ name: fileNames.report(language), bytes: pdf })),
    ...reports.flatMap(({ language, html }) =>
      html === undefined ? [] : [text(fileNames.html(language), html)],
    ),
    json(fileNames.texts, texts),
  ];
}

function json(name: string, value: unknown): ZipEntry {
  return { name, bytes: canonicalBytes(value) };
}

export function toResultRecord(
  examination: Examination,
  { isMetadataLeftOut }: { readonly isMetadataLeftOut: boolean },
) {
  const { facts } = examination;
  // A bundle without the picture should not reveal all of its metadata; the summary in every report remains.
  const metadata = { ...facts.metadata, exif: {}, xmp: {}, iptc: {}, pngText: {}, comment: null };
  return {
    verdict: examination.decision.resultClass,
    result: toResultFields(examination, 'forensicReporting'),
    evidence: writeEvidence(examination),
    examination: { ...examination, facts: isMetadataLeftOut ? { ...facts, metadata } : facts },
  };
}

function toBundleSettings(given: BundleCase, isMetadataLeftOut: boolean): BundleSettings {
  const { examination, openedAs, heatmapSize, limits } = given;
  const { options, model, locator, passes, environment } = examination;
  const { custody: _ofItsOwnFile, heatmapOrientation: _follows, validation, ...item } = given.item;
  return {
    model,
    ...(locator && { locator }),
    ...options,
    passes,
    limits,
    environment,
    openedAs,
    heatmapSize,
    isMetadataLeftOut,
    item: {
      ...item,
      examinedAt: item.examinedAt.toISOString(),
      ...(validation && {
        validation: { ...validation, createdAt: validation.createdAt.toISOString() },
      }),
    },
  };
}

// `README.txt` and `LIESMICH.txt`, in lines of at most 78 characters for plain editors.

type ReadmeFacts = Pick<Manifest, 'product' | 'examinedAt' | 'signedAt' | 'item'> & {
  readonly fingerprint: string;
  readonly withHtml: boolean;
};

function readmeEn(facts: ReadmeFacts): string {
  const { product, examinedAt, signedAt, item, fingerprint, withHtml } = facts;
  return `EVIDENCE BUNDLE

This archive holds the forensic examination of one picture: the result, the
report, the data they are based on, and a signature that shows whether
anything was changed afterwards.

Examined   ${examinedAt}
Signed     ${signedAt} (clock of the signing machine)
Program    ${product}
Picture    SHA-256
           ${item.sha256}
Key        Ed25519, fingerprint (SHA-256)
           ${fingerprint}

CONTENTS

${originalEn(item)}
report-en.pdf, report-de.pdf   the report in English and German: start here
${withHtml ? 'report-*.html   the same report for a browser, which needs no network\n' : ''}result.json     the whole result, every number, unrounded (RFC 8785)
texts.json      the texts of the report
heatmap-*.png   where methods responded, drawn over the picture
map-*.png       the same values as 16-bit grey: 0 to 65535 stands for 0 to 1;
                one pixel per cell of cellPx pixels, see maps in result.json
settings.json   model, its checksums, settings and versions: all it takes to
                repeat the examination
model.json      error rates that were measured with this model
custody.json    what happened to the file, as far as it was recorded
trust-list.pem  the trusted signers of Content Credentials, if any
public-key.pem  the public half of the signing key
SHA256SUMS      a checksum for each file
manifest.json   the signed list of all files
manifest.sig    the signature over manifest.json, 64 bytes

${checkEn}
HOW TO REPEAT IT

This examines the picture again with the same model and settings, and compares
every field and every pixel:

  forensics reproduce evidence.zip${item.file === null ? ' --original PICTURE' : ''}

WHAT IT DOES NOT SHOW

The signature shows which key signed and that nothing was changed since; it
does not show that the result or the clock was right. The report says how often
the method is wrong and what it cannot see.
`;
}

const checkEn = `HOW TO CHECK IT

With the program itself, on any machine, without a network:

  forensics verify evidence.zip --fingerprint FINGERPRINT

Without it, in the unpacked folder, with OpenSSL 3 and two common tools:

  1. The signature over the list is valid:
     openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin \\
       -in manifest.json -sigfile manifest.sig

  2. The list covers these checksums (this prints a line if it does):
     grep -o "$(sha256sum SHA256SUMS | cut -c 1-64)" manifest.json

  3. Every file matches its checksum:
     sha256sum --check --strict SHA256SUMS

  4. It is the key that you expect (compare with a fingerprint that you
     received separately from this archive):
     openssl pkey -pubin -in public-key.pem -outform DER | sha256sum

Step 4 matters most. Anyone can make a key, change a result and sign it again:
the signature shows that nothing was changed since that key signed, and only
the fingerprint shows whose key it is. Files in the folder that SHA256SUMS,
manifest.json and manifest.sig do not account for are not part of the bundle.
`;

function originalEn({ file, sizeBytes, sha512, md5 }: ReadmeFacts['item']): string {
  if (file !== null) return `${file.padEnd(15)} the picture that was examined, byte for byte`;
  return `The picture file was left out; heatmaps and reports still show the picture.
To check whether a file is the one examined:
  sha256sum PICTURE    must print the SHA-256 above
  size       ${sizeBytes} bytes
  SHA-512    ${sha512.slice(0, 64)}
             ${sha512.slice(64)}
  MD5        ${md5} (identifies the file, proves nothing)
`;
}

function readmeDe(facts: ReadmeFacts): string {
  const { product, examinedAt, signedAt, item, fingerprint, withHtml } = facts;
  return `BEWEISPAKET

Dieses Archiv enthält die forensische Untersuchung eines Bildes: das Ergebnis,
den Bericht, die Dateien, auf denen er beruht, und eine Signatur, die zeigt,
ob danach etwas verändert wurde.

Untersucht    ${examinedAt}
Signiert      ${signedAt} (Uhr des signierenden Rechners)
Programm      ${product}
Bild          SHA-256
              ${item.sha256}
Schlüssel     Ed25519, Fingerabdruck (SHA-256)
              ${fingerprint}

INHALT

${originalDe(item)}
report-de.pdf, report-en.pdf   der Bericht auf Deutsch und Englisch: bitte
                zuerst lesen
${withHtml ? 'report-*.html   derselbe Bericht für den Browser; er braucht kein Netz\n' : ''}result.json     das ganze Ergebnis, jede Zahl, ungerundet (RFC 8785)
texts.json      die Texte des Berichts
heatmap-*.png   das Bild, farbig überlagert, wo Methoden anschlagen
map-*.png       dieselben Werte in 16-Bit-Graustufen: 0 bis 65535 für 0 bis 1;
                ein Pixel je Zelle von cellPx Pixeln, siehe maps in result.json
settings.json   Modell mit Prüfsummen, Einstellungen und Versionen: alles, was
                zum Reproduzieren nötig ist
model.json      mit diesem Modell gemessene Fehlerraten
custody.json    was mit der Datei geschah, soweit es aufgezeichnet wurde
trust-list.pem  die Vertrauensliste der Unterzeichner von Content Credentials,
                falls eine angegeben war
public-key.pem  der öffentliche Schlüssel zur Signatur
SHA256SUMS      eine Prüfsumme für jede Datei
manifest.json   die signierte Liste aller Dateien
manifest.sig    die Signatur über manifest.json, 64 Byte

${checkDe}
REPRODUZIEREN

  forensics reproduce evidence.zip${item.file === null ? ' --original BILD' : ''}

Dieser Befehl untersucht das Bild noch einmal mit demselben Modell und
denselben Einstellungen und vergleicht jedes Feld und jedes Pixel.

WAS DIE SIGNATUR NICHT ZEIGT

Die Signatur zeigt, mit welchem Schlüssel signiert wurde und dass seither
nichts verändert wurde. Sie zeigt nicht, dass das Ergebnis richtig ist oder
die Uhr richtig ging.
Wie oft sich das Verfahren irrt und was es nicht erkennt, steht im Bericht.
`;
}

const checkDe = `PRÜFEN

Mit dem Programm selbst, auf jedem Rechner, ohne Netz:

  forensics verify evidence.zip --fingerprint FINGERABDRUCK

Ohne das Programm, im entpackten Ordner, mit OpenSSL 3 und zwei üblichen
Werkzeugen:

  1. Die Signatur über die Liste ist gültig:
     openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin \\
       -in manifest.json -sigfile manifest.sig

  2. Die Liste gilt für diese Datei SHA256SUMS (dann erscheint eine Zeile):
     grep -o "$(sha256sum SHA256SUMS | cut -c 1-64)" manifest.json

  3. Jede Datei hat die angegebene Prüfsumme:
     sha256sum --check --strict SHA256SUMS

  4. Es ist der erwartete Schlüssel (mit dem Fingerabdruck vergleichen, den
     Sie auf einem anderen Weg als mit diesem Archiv erhalten haben):
     openssl pkey -pubin -in public-key.pem -outform DER | sha256sum

Auf Schritt 4 kommt es an. Jeder kann einen Schlüssel erzeugen, ein Ergebnis
ändern und neu signieren: Die Signatur zeigt, dass nichts verändert wurde,
seit mit diesem Schlüssel signiert wurde; wem der Schlüssel gehört, zeigt erst
der Fingerabdruck. Dateien im Ordner, die weder in SHA256SUMS stehen noch
SHA256SUMS, manifest.json oder manifest.sig heißen, gehören nicht zum Paket.
`;

function originalDe({ file, sizeBytes, sha512, md5 }: ReadmeFacts['item']): string {
  if (file !== null) return `${file.padEnd(15)} das untersuchte Bild, Byte für Byte`;
  return `Die Bilddatei wurde weggelassen; Heatmaps und Berichte zeigen das Bild
weiterhin. Wer die Datei hat, kann sie vergleichen:
  sha256sum BILD       muss den obigen SHA-256 ausgeben
  Größe      ${sizeBytes} Byte
  SHA-512    ${sha512.slice(0, 64)}
             ${sha512.slice(64)}
  MD5        ${md5} (nur zur Identifizierung)
`;
}
