/** What lies in a file beside its picture. */

import type { FileLayout } from '../provenance/provenance.ts';
import type { Wording } from './declared-words.ts';
import type { Detector } from './finding.ts';
import { noWeight } from './strength.ts';

export const fileLayout: Detector = {
  method: 'file-layout',
  examine: ({ provenance: { layout } }) => {
    const { method } = fileLayout;
    const { trailingBytes, pictures } = layout;
    if (trailingBytes === 0 && pictures === 1) return { method, reason: nothingElse };
    return {
      method,
      ...noWeight,
      statement: stateOf(layout),
      measures: { trailingBytes, pictures },
      source:
        'ITU-T T.81 (1992), Annex B; W3C PNG specification; CIPA DC-007 (Multi-Picture Format).',
    };
  },
};

const nothingElse = {
  en: 'The file holds one picture and nothing behind it.',
  de: 'Die Datei enthält ein Bild und nichts dahinter.',
};

const kindWords: Readonly<Record<string, Wording>> = {
  zip: { en: 'a ZIP archive or office document', de: 'ein ZIP-Archiv oder Office-Dokument' },
  jpeg: { en: 'a JPEG picture', de: 'ein JPEG-Bild' },
  png: { en: 'a PNG picture', de: 'ein PNG-Bild' },
  mp4: { en: 'a video', de: 'ein Video' },
  pdf: { en: 'a PDF document', de: 'ein PDF-Dokument' },
  rar: { en: 'a RAR archive', de: 'ein RAR-Archiv' },
  '7z': { en: 'a 7z archive', de: 'ein 7z-Archiv' },
  gzip: { en: 'a gzip archive', de: 'ein gzip-Archiv' },
  executable: { en: 'an executable program', de: 'ein ausführbares Programm' },
  'samsung-trailer': { en: 'additions of a Samsung phone', de: 'Zusätze eines Samsung-Telefons' },
  zeros: { en: 'zeros', de: 'Nullen' },
  text: { en: 'text', de: 'Text' },
};

const unknownKind = { en: 'data of an unknown kind', de: 'Daten unbekannter Art' };

function stateOf({ trailingBytes, trailingKind, pictures }: FileLayout): Wording {
  const kind = kindWords[trailingKind ?? ''] ?? unknownKind;
  const further = pictures - 1;
  const [behind, others] = [trailingBytes > 0, further > 0];
  const en = [
    ...(behind
      ? [`${bytesEn(trailingBytes)} follow the end of the picture, beginning with ${kind.en}`]
      : []),
    ...(others
      ? [`the file holds ${further === 1 ? 'one further picture' : `${further} further pictures`}`]
      : []),
  ].join(', and ');
  const de = [
    ...(behind
      ? [`hinter dem Ende des Bildes folgen ${bytesDe(trailingBytes)}, beginnend mit: ${kind.de}`]
      : []),
    ...(others
      ? [`die Datei enthält ${further === 1 ? 'ein weiteres Bild' : `${further} weitere Bilder`}`]
      : []),
  ].join('; ');
  return {
    en: `${capital(en)}; phones and cameras do this too.`,
    de: `${capital(de)}; auch Telefone und Kameras legen Dateien so an.`,
  };
}

function bytesEn(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes.toLocaleString('en')} bytes`;
}

function bytesDe(bytes: number): string {
  return bytes === 1 ? '1 Byte' : `${bytes.toLocaleString('de')} Byte`;
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
