/** What lies in a file beside its picture. */

import type { FileLayout } from '../provenance/provenance.ts';
import type { Wording } from './declared-words.ts';
import type { Detector, Finding, Skipped } from './finding.ts';
import { noWeight } from './strength.ts';

export const fileLayout: Detector<Finding | Skipped> = {
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

/** What cameras and phones are known to add. */
const addedByCameras: ReadonlySet<string> = new Set(['jpeg', 'mp4', 'samsung-trailer']);
/** What no camera adds. */
const addedByOthers: ReadonlySet<string> = new Set([
  'zip',
  'pdf',
  'rar',
  '7z',
  'gzip',
  'executable',
]);

function stateOf({ trailingBytes, trailingKind, pictures }: FileLayout): Wording {
  const kind = kindWords[trailingKind ?? ''] ?? unknownKind;
  const further = pictures - 1;
  const parts = [
    ...(trailingBytes > 0 ? [behindEnd(trailingBytes, kind)] : []),
    ...(further > 0 ? [furtherPictures(further)] : []),
    whoDoesThis(trailingKind, trailingBytes),
  ];
  return {
    en: `${capital(parts.map(({ en }) => en).join('; '))}.`,
    de: `${capital(parts.map(({ de }) => de).join('; '))}.`,
  };
}

function behindEnd(bytes: number, kind: Wording): Wording {
  const isOne = bytes === 1;
  const [countEn, countDe] = [bytes.toLocaleString('en'), bytes.toLocaleString('de')];
  return {
    en: `${isOne ? '1 byte follows' : `${countEn} bytes follow`} the end of the picture (${kind.en})`,
    de: `hinter dem Ende des Bildes ${isOne ? 'folgt 1' : `folgen ${countDe}`} Byte (${kind.de})`,
  };
}

function furtherPictures(further: number): Wording {
  return further === 1
    ? { en: 'the file holds one further picture', de: 'die Datei enthält ein weiteres Bild' }
    : {
        en: `the file holds ${further} further pictures`,
        de: `die Datei enthält ${further} weitere Bilder`,
      };
}

function whoDoesThis(kind: string | null, trailingBytes: number): Wording {
  if (trailingBytes === 0 || addedByCameras.has(kind ?? '')) {
    return {
      en: 'phones and cameras write such files',
      de: 'Telefone und Kameras schreiben solche Dateien',
    };
  }
  if (addedByOthers.has(kind ?? '')) {
    return {
      en: 'no camera adds this, so something else did',
      de: 'keine Kamera fügt das an, etwas anderes hat es getan',
    };
  }
  return {
    en: 'cameras, programs and services all leave such remains',
    de: 'Kameras, Programme und Dienste hinterlassen solche Reste',
  };
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
