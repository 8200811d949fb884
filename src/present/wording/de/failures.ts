/**
 * Why a picture was not examined, for those who read German. The rooms that open files know one language and throw
 * English; what they throw is found here by its words. A sentence that is missing stays English.
 */

type Write = (...parts: readonly string[]) => string;

/** What a file is when it is no picture that can be examined: behind "This is". */
const kinds: Readonly<Record<string, string>> = {
  'an empty file': 'eine leere Datei',
  'a GIF picture': 'ein GIF-Bild',
  'a WebP picture': 'ein WebP-Bild',
  'a TIFF picture or a camera raw file': 'ein TIFF-Bild oder eine RAW-Datei einer Kamera',
  'a HEIC picture': 'ein HEIC-Bild',
  'an AVIF picture': 'ein AVIF-Bild',
  'a JPEG XL picture': 'ein JPEG-XL-Bild',
  'a JPEG 2000 picture': 'ein JPEG-2000-Bild',
  'a BMP picture': 'ein BMP-Bild',
  'a Photoshop document': 'ein Photoshop-Dokument',
  'an SVG drawing': 'eine SVG-Zeichnung',
  'a PDF document': 'ein PDF-Dokument',
  'a video': 'ein Video',
  'a web page': 'eine Webseite',
  'a ZIP archive or an office document': 'ein ZIP-Archiv oder ein Office-Dokument',
  'a gzip archive': 'ein gzip-Archiv',
  'a text file': 'eine Textdatei',
  'a file of an unknown kind': 'eine Datei unbekannter Art',
};

export const failures: readonly (readonly [RegExp, Write])[] = [
  [/^The file is empty: it holds 0 bytes\.$/, () => 'Die Datei ist leer: Sie hat 0 Byte.'],
  [
    /^The file has ([\d.]+) MB; at most ([\d.]+) MB can be examined\.$/,
    (size, limit) =>
      `Die Datei hat ${comma(size)} MB; untersucht werden höchstens ${comma(limit)} MB.`,
  ],
  [
    /^The file has more than (\d+) MB, the most that can be examined\.$/,
    (limit) => `Die Datei hat mehr als ${limit} MB; größere werden nicht untersucht.`,
  ],
  [
    /^The picture has (\d+) x (\d+) pixels; each side must have (\d+) to (\d+) pixels\.$/,
    (width, height, least, most) =>
      `Das Bild hat ${count(width)} × ${count(height)} Bildpunkte; jede Seite muss ${count(least)} bis ${count(most)} haben.`,
  ],
  [
    /^The picture has (\d+) x (\d+) pixels; at most ([\d.]+) megapixels can be examined\.$/,
    (width, height, limit) =>
      `Das Bild hat ${count(width)} × ${count(height)} Bildpunkte; untersucht werden höchstens ${comma(limit)} Megapixel.`,
  ],
  [
    /^The picture is incomplete or damaged and could not be decoded\./,
    () =>
      'Das Bild ist unvollständig oder beschädigt und lässt sich nicht lesen. Kopieren oder laden Sie die Datei noch einmal.',
  ],
  [
    /^The (JPEG|PNG) file is incomplete: it ends before the picture does\./,
    (format) =>
      `Die ${format}-Datei ist unvollständig: Sie endet mitten im Bild. Kopieren oder laden Sie sie noch einmal.`,
  ],
  [
    /^The (JPEG|PNG) file is damaged: it /,
    (format) =>
      `Die ${format}-Datei ist beschädigt und lässt sich nicht lesen. Kopieren oder laden Sie sie noch einmal.`,
  ],
  [
    /^This is a JPEG file of a rare kind /,
    () =>
      'Das ist eine JPEG-Datei seltener Art (verlustfrei, hierarchisch oder nicht mit 8 Bit je Kanal). Speichern Sie sie als gewöhnliche JPEG- oder PNG-Datei.',
  ],
  [
    /^This is (.+); only JPEG and PNG can be examined\. Convert it/,
    (kind) =>
      `Das ist ${kinds[kind ?? ''] ?? 'ein anderes Format'}; untersucht werden nur JPEG und PNG. Wandeln Sie es um, oder besser: Untersuchen Sie die Datei, aus der es entstand.`,
  ],
  [
    /^This is (.+); only JPEG and PNG can be examined\./,
    (kind) =>
      `Das ist ${kinds[kind ?? ''] ?? 'ein anderes Format'}; untersucht werden nur JPEG und PNG. Wählen Sie ein Bild.`,
  ],
  [
    /^This is a folder; add --recursive /,
    () => 'Das ist ein Ordner; mit --recursive werden die Bilder darin untersucht.',
  ],
  [
    /^This is a folder; name a picture inside it\.$/,
    () => 'Das ist ein Ordner; nennen Sie ein Bild darin.',
  ],
  [
    /^There is no \.jpg, \.jpeg or \.png file in this folder\.$/,
    () => 'In diesem Ordner liegt keine .jpg-, .jpeg- oder .png-Datei.',
  ],
  [
    /^This is a device or pipe; save the picture to a file\.$/,
    () => 'Das ist ein Gerät oder eine Pipe; speichern Sie das Bild in einer Datei.',
  ],
  [/^There is no such file\.$/, () => 'Diese Datei gibt es nicht.'],
  [
    /^There is no such file: its name is too long\.$/,
    () => 'Diese Datei gibt es nicht: Ihr Name ist zu lang.',
  ],
  [
    /^You may not read this file; /,
    () => 'Sie dürfen diese Datei nicht lesen; ändern Sie ihre Zugriffsrechte.',
  ],
  [
    /^This file cannot be read: it is a symbolic link in a loop\.$/,
    () => 'Diese Datei lässt sich nicht lesen: Sie ist ein symbolischer Link im Kreis.',
  ],
  [
    /^This file cannot be read \((\w+)\); /,
    (code) =>
      `Diese Datei lässt sich nicht lesen (${code}); prüfen Sie den Datenträger, auf dem sie liegt.`,
  ],
  [
    /^(.+) holds a result; add --force to replace it, or choose another --out\.$/,
    (folder) =>
      `${folder} enthält schon ein Ergebnis; mit --force wird es ersetzt, oder wählen Sie mit --out einen anderen Ordner.`,
  ],
  [
    /^(.+) is there and holds no result; choose another --out\.$/,
    (folder) =>
      `${folder} gibt es schon, und es ist kein Ergebnis; wählen Sie mit --out einen anderen Ordner.`,
  ],
  [
    /^No space is left to write the results; /,
    () => 'Für die Ergebnisse ist kein Speicherplatz mehr frei; schaffen Sie Platz.',
  ],
  [
    /^The analysis took longer than ([\d.]+) s and was stopped; /,
    (seconds) =>
      `Die Untersuchung dauerte länger als ${comma(seconds)} s und wurde abgebrochen; versuchen Sie es noch einmal.`,
  ],
  [
    /^The analysis needed more memory than its process may use; /,
    () => 'Für die Untersuchung reichte der Arbeitsspeicher nicht; nehmen Sie ein kleineres Bild.',
  ],
  [
    /^The analysis process ended unexpectedly; /,
    () => 'Die Untersuchung brach unerwartet ab; versuchen Sie es noch einmal.',
  ],
];

function count(digits = ''): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, '.');
}

function comma(number = ''): string {
  return number.replace('.', ',');
}
