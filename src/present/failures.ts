/** Why a picture was not examined, in the reader's language. Output for programs keeps the message as it was thrown. */

import type { FailureReason, FailureSentences, FailureValues } from '../contract/errors.ts';
import { formatNames, isKeyOf, type Language } from '../contract/vocabulary.ts';

export interface Failure {
  /** English. */
  readonly message: string;
  /** Missing if a server or an earlier version provided only the message, which is then shown. */
  readonly reason?: FailureReason | null;
}

export function writeFailure({ message, reason }: Failure, language: Language): string {
  if (language === 'en' || !reason || !isKeyOf(german, reason.code)) return message;
  const write: (values: never) => string = german[reason.code];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `failure` pairs each code with its values.
  return write(reason.values as never);
}

/** What the file is instead of a picture that can be examined, by code. */
const kinds: Readonly<Record<string, string>> = {
  empty: 'eine leere Datei',
  psd: 'ein Photoshop-Dokument',
  svg: 'eine SVG-Zeichnung',
  eps: 'eine PostScript-Datei',
  bigtiff: 'ein BigTIFF-Bild',
  jls: 'ein JPEG-LS-Bild',
  jxr: 'ein JPEG-XR-Bild',
  dicom: 'eine DICOM-Datei',
  pnm: 'ein PPM-, PGM- oder PBM-Bild',
  ico: 'ein Icon',
  pcx: 'ein PCX-Bild',
  tga: 'ein TGA-Bild',
  pdf: 'ein PDF-Dokument',
  video: 'ein Video',
  html: 'eine Webseite',
  zip: 'ein ZIP-Archiv oder ein Office-Dokument',
  ole: 'eine Outlook-Nachricht oder ein älteres Office-Dokument',
  gzip: 'ein gzip-Archiv',
  text: 'eine Textdatei',
  unknown: 'eine Datei unbekannter Art',
};

const german: FailureSentences = {
  empty: () => 'Die Datei ist leer: Sie hat 0 Byte.',
  too_many_bytes: ({ megabytes, limit }) =>
    `Die Datei ist ${comma(megabytes)} MB groß; untersucht werden höchstens ${comma(limit)} MB.`,
  more_bytes_than: ({ megabytes }) =>
    `Die Datei ist größer als ${megabytes} MB; größere Dateien lassen sich nicht untersuchen.`,
  side_too_short: sideOutOfRange,
  side_too_long: sideOutOfRange,
  too_many_pixels: ({ width, height, megapixels }) =>
    `Das Bild hat ${count(width)} × ${count(height)} Pixel; untersucht werden höchstens ${comma(megapixels)} Megapixel. Verkleinern Sie eine Kopie auf diese Größe und untersuchen Sie sie; bewahren Sie das Original auf.`,
  not_decodable: () =>
    'Das Bild ist unvollständig oder beschädigt und lässt sich nicht lesen. Kopieren Sie die Datei noch einmal, oder laden Sie sie erneut herunter.',
  cut_off: ({ format }) =>
    `Die ${format}-Datei ist unvollständig: Sie endet mitten im Bild. Kopieren Sie die Datei noch einmal, oder laden Sie sie erneut herunter.`,
  damaged: ({ format }) =>
    `Die ${format}-Datei ist beschädigt und lässt sich nicht lesen. Kopieren Sie die Datei noch einmal, oder laden Sie sie erneut herunter.`,
  rare_jpeg: () =>
    'Das ist ein seltenes JPEG (verlustfrei, hierarchisch oder nicht mit 8 Bit je Kanal), das sich nicht lesen lässt. Speichern Sie es als gewöhnliches JPEG oder als PNG.',
  rare_kind: ({ format }) =>
    `Diese Art von ${format}-Datei ist selten und lässt sich nicht lesen; speichern Sie sie mit dem Programm, mit dem sie erstellt wurde, als PNG.`,
  rows_missing: ({ format, percent }) =>
    `Die ${format}-Datei ist abgeschnitten oder beschädigt: Von den Zeilen des Bildes sind nur die ersten ${percent} % unbeschädigt, nötig sind 90 %. Kopieren Sie die Datei noch einmal, oder laden Sie sie erneut herunter.`,
  raw_without_jpeg: () =>
    'Diese RAW-Datei enthält kein JPEG, das sich untersuchen ließe; entwickeln Sie sie und untersuchen Sie das JPEG oder TIFF.',
  format_not_taken: ({ format }) =>
    `Das ist ein Bild im Format ${format}; dieser Server nimmt nur JPEG und PNG an. Wandeln Sie die Datei nicht um: Untersuchen Sie sie mit forensics analyze, oder bitten Sie den Betreiber, die Einstellung intake auf everything zu setzen.`,
  video: () =>
    'Das ist ein Video; untersucht werden nur Bilder. Exportieren Sie Einzelbilder aus dem Original als PNG in voller Größe und untersuchen Sie diese.',
  other_format: ({ kind, isPicture }) =>
    `Das ist ${kinds[kind] ?? 'ein anderes Format'} und lässt sich nicht untersuchen. ${
      isPicture
        ? 'Exportieren Sie das Bild als PNG, oder besser: Untersuchen Sie die Datei, aus der es entstand.'
        : kind === 'zip'
          ? 'Holen Sie die Bilder heraus und untersuchen Sie diese.'
          : 'Wählen Sie ein Bild.'
    }`,
  url_not_usable: () =>
    'Von dieser Adresse lässt sich nichts laden: Sie muss mit http:// oder https:// beginnen und darf kein Passwort enthalten. Laden Sie das Bild herunter und untersuchen Sie die Datei.',
  url_unreachable: ({ host, code }) =>
    `${host} ist nicht erreichbar (${code}). Laden Sie das Bild auf einem Rechner herunter, der die Adresse erreicht, und untersuchen Sie die Datei.`,
  url_no_address: ({ host }) =>
    `${host} hat keine IP-Adresse oder liegt in einem internen Netz, das die Einstellung fetchAllow nicht erlaubt. Prüfen Sie die Adresse, oder laden Sie das Bild herunter und untersuchen Sie die Datei.`,
  url_private: ({ host }) =>
    `${host} liegt in einem internen Netz; von dort wird nur geladen, wenn die Einstellung fetchAllow es erlaubt. Ändern Sie die Einstellung, oder laden Sie das Bild herunter und untersuchen Sie die Datei.`,
  url_redirects: ({ host }) =>
    `${host} leitet endlos weiter; laden Sie das Bild im Browser herunter und untersuchen Sie die Datei.`,
  url_status: ({ host, status }) =>
    `${host} antwortet mit ${status} statt mit einem Bild; prüfen Sie die Adresse, oder laden Sie das Bild im Browser herunter und untersuchen Sie die Datei.`,
  pdf_locked: () =>
    'Dieses PDF ist mit einem Passwort geschützt; speichern Sie in einem Anzeigeprogramm eine Kopie ohne Passwort und untersuchen Sie diese.',
  pdf_without_pages: () => 'Dieses PDF hat keine Seite; wählen Sie eine andere Datei.',
  folder_without_recursive: () =>
    'Das ist ein Ordner; mit --recursive werden die Bilder darin untersucht.',
  folder: () => 'Das ist ein Ordner; geben Sie ein Bild daraus an.',
  no_picture_in_folder: () => 'In diesem Ordner liegt kein Bild.',
  device: () =>
    'Die Eingabe ist eine Gerätedatei oder eine Pipe; speichern Sie das Bild in einer gewöhnlichen Datei.',
  no_such_file: () => 'Diese Datei gibt es nicht.',
  name_too_long: () => 'Diese Datei gibt es nicht: Ihr Name ist zu lang.',
  not_allowed: () => 'Sie dürfen diese Datei nicht lesen; ändern Sie ihre Zugriffsrechte.',
  link_loop: () =>
    'Diese Datei lässt sich nicht lesen: Sie ist ein symbolischer Link, der auf sich selbst verweist.',
  not_readable: ({ code }) =>
    `Diese Datei lässt sich nicht lesen (${code}); prüfen Sie den Datenträger, auf dem sie liegt.`,
  holds_result: ({ folder }) =>
    `${folder} enthält schon ein Ergebnis; ersetzen Sie es mit --force, oder wählen Sie mit --out einen anderen Ordner.`,
  holds_no_result: ({ folder }) =>
    `${folder} gibt es schon, und es enthält kein Ergebnis; wählen Sie mit --out einen anderen Ordner.`,
  disk_full: () => 'Für die Ergebnisse ist kein Speicherplatz mehr frei; schaffen Sie Platz.',
  not_as_declared: ({ declared, found }) =>
    `${
      declared === undefined || found === undefined
        ? 'Die hochgeladene Datei hat ein anderes Format oder eine andere Größe als angegeben'
        : `Angegeben war ${kindOrSize(declared)}, hochgeladen wurde ${kindOrSize(found)}`
    }. Laden Sie das richtige Bild hoch, oder legen Sie eine neue Analyse an.`,
  trial_only: () =>
    'Mit einem Testzugang lassen sich nur die beiden Testbilder real.jpg und fake.jpg untersuchen; dieses Bild ist keines davon.',
  copy_damaged: () =>
    'Die gespeicherte Kopie des Bildes fehlt oder wurde verändert; laden Sie das Bild in einer neuen Analyse noch einmal hoch.',
  store_away: () =>
    'Der Speicher war 24 Stunden lang nicht erreichbar; wiederholen Sie die Untersuchung, sobald er wieder erreichbar ist.',
  timeout: ({ seconds }) =>
    `Die Untersuchung brauchte mehr als ${comma(seconds)} s Rechenzeit und wurde abgebrochen; nehmen Sie ein kleineres Bild.`,
  stuck: ({ seconds }) =>
    `Die Untersuchung kam ${comma(seconds)} s lang nicht voran und wurde abgebrochen; versuchen Sie es noch einmal. Bricht sie wieder ab, prüfen Sie Festplatte und Arbeitsspeicher des Rechners.`,
  out_of_memory: () =>
    'Für die Untersuchung reichte der Arbeitsspeicher nicht; nehmen Sie ein kleineres Bild.',
  crashed: () => 'Die Untersuchung brach unerwartet ab; versuchen Sie es noch einmal.',
  internal: () => 'Ein interner Fehler ist aufgetreten.',
};

function sideOutOfRange({ width, height, least, most }: FailureValues['side_too_short']): string {
  return `Das Bild hat ${count(width)} × ${count(height)} Pixel; jede Kantenlänge muss ${count(least)} bis ${count(most)} Pixel betragen.`;
}

function kindOrSize(found: string): string {
  if (isKeyOf(formatNames, found)) return `ein Bild im Format ${formatNames[found]}`;
  const size = found.replace(' x ', ' × ').replaceAll(/\d+/g, (digits) => count(Number(digits)));
  return kinds[found] ?? `ein Bild mit ${size} Pixeln`;
}

function count(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, '.');
}

function comma(number: number): string {
  return String(number).replace('.', ',');
}
