/** `README.txt` and `LIESMICH.txt` of a bundle and of a case, in lines of at most 78 characters for plain editors. */

import type { Manifest } from './bundle-format.ts';

type ReadmeFacts = Pick<Manifest, 'product' | 'examinedAt' | 'signedAt' | 'item'> & {
  readonly fingerprint: string;
  readonly withHtml: boolean;
};

export function readmeEn(facts: ReadmeFacts): string {
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

export function readmeDe(facts: ReadmeFacts): string {
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

type CaseReadmeFacts = Pick<Manifest, 'product' | 'signedAt'> &
  Readonly<Record<'name' | 'fingerprint', string>>;

export function caseReadmeEn({ name, fingerprint, signedAt, product }: CaseReadmeFacts): string {
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

export function caseReadmeDe({ name, fingerprint, signedAt, product }: CaseReadmeFacts): string {
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
