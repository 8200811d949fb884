/** Who wrote a JPEG, as far as its quantisation tables tell. */

import type { FileLayout, QuantisationClass } from '../provenance/provenance.ts';
import type { Wording } from './declarations.ts';
import { type Detector, type Finding, noWeight, type Skipped } from './detector.ts';

export const compressionTables: Detector<Finding | Skipped> = {
  method: 'compression-tables',
  examine: ({ provenance: { quantisation } }) => {
    const { method } = compressionTables;
    if (quantisation === null) return { method, reason: noTables };
    const { quality } = quantisation;
    return {
      method,
      ...noWeight,
      statement: tablesStatement(quantisation),
      measures: quality === null ? {} : { libjpegQuality: quality },
      source:
        'ITU-T T.81 (1992), Annex K; Kornblum, "Using JPEG quantization tables to identify imagery processed by software", Digital Investigation 5 (2008).',
    };
  },
};

const noTables = {
  en: 'The file carries no quantisation tables; only JPEG files do.',
  de: 'Die Datei trägt keine Quantisierungstabellen; das tun nur JPEG-Dateien.',
};

function tablesStatement({ kind, name, quality }: QuantisationClass): Wording {
  if (kind === 'libjpeg') {
    return {
      en: `The quantisation tables are those of the standard at quality ${quality}, as most programs and services and some cameras write them.`,
      de: `Die Quantisierungstabellen sind die des Standards bei Qualität ${quality}, wie sie die meisten Programme und Dienste und manche Kameras schreiben.`,
    };
  }
  if (kind === 'known-software') {
    return {
      en: `The quantisation tables are those of ${name}: a program saved the picture, not a camera.`,
      de: `Die Quantisierungstabellen sind die von ${name}: Ein Programm hat das Bild gespeichert, keine Kamera.`,
    };
  }
  return {
    en: 'The quantisation tables are of the writer’s own making, as many cameras and some programs use them.',
    de: 'Die Quantisierungstabellen sind eigene des Schreibers, wie viele Kameras und manche Programme sie verwenden.',
  };
}

// What lies in a file beside its picture.

export const fileLayout: Detector<Finding | Skipped> = {
  method: 'file-layout',
  examine: ({ provenance: { layout } }) => {
    const { method } = fileLayout;
    const { trailingBytes, pictures } = layout;
    if (trailingBytes === 0 && pictures === 1) return { method, reason: nothingElse };
    return {
      method,
      ...noWeight,
      statement: layoutStatement(layout),
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

function layoutStatement({ trailingBytes, trailingKind, pictures }: FileLayout): Wording {
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
