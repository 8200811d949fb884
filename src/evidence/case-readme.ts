/** `README.txt` and `LIESMICH.txt` of a case archive, with lines of at most 78 characters. */

interface ReadmeFacts {
  readonly name: string;
  readonly fingerprint: string;
  readonly signedAt: Date;
  readonly product: string;
}

export function caseReadmeEn({ name, fingerprint, signedAt, product }: ReadmeFacts): string {
  return `EVIDENCE OF A CASE

Case       ${name}
Signed     ${signedAt.toISOString()} (clock of the signing machine)
Program    ${product}
Key        Ed25519, fingerprint (SHA-256)
           ${fingerprint}

WHAT IT HOLDS

report-en.pdf, report-de.pdf   the report about all pictures: begin here
picture-*.zip   a whole evidence bundle of each picture, with a README.txt of
                its own
case.json       the list of the pictures, their results and their bundles
public-key.pem  the public half of the key that signed this and each bundle
SHA256SUMS      a checksum for each file
manifest.json   the signed list of all files
manifest.sig    the signature over manifest.json, 64 bytes

HOW TO CHECK IT

This checks the archive and every bundle in it, without a network:

  forensics verify case.zip --fingerprint FINGERPRINT

Each bundle can be taken out, checked and repeated by itself:

  forensics verify picture-0001.zip
  forensics reproduce picture-0001.zip

Its README.txt says how to check a signature without the program.
`;
}

export function caseReadmeDe({ name, fingerprint, signedAt, product }: ReadmeFacts): string {
  return `BEWEISMITTEL EINES FALLS

Fall          ${name}
Signiert      ${signedAt.toISOString()} (Uhr des signierenden Rechners)
Programm      ${product}
Schlüssel     Ed25519, Fingerabdruck (SHA-256)
              ${fingerprint}

INHALT

report-de.pdf, report-en.pdf   der Bericht über alle Bilder: hier beginnen
picture-*.zip   zu jedem Bild ein ganzes Beweispaket mit eigener LIESMICH.txt
case.json       die Liste der Bilder, ihrer Ergebnisse und Beweispakete
public-key.pem  der öffentliche Teil des Schlüssels, der alles signiert hat
SHA256SUMS      eine Prüfsumme für jede Datei
manifest.json   die signierte Liste aller Dateien
manifest.sig    die Signatur über manifest.json, 64 Byte

PRÜFEN

Das prüft das Archiv und jedes Beweispaket darin, ohne Netz:

  forensics verify case.zip --fingerprint FINGERABDRUCK

Jedes Beweispaket lässt sich herausnehmen und für sich prüfen und wiederholen:

  forensics verify picture-0001.zip
  forensics reproduce picture-0001.zip

Wie man eine Signatur ohne das Programm prüft, steht in seiner LIESMICH.txt.
`;
}
