/** Who wrote a JPEG, as far as its quantisation tables tell. */

import type { QuantisationClass } from '../provenance/provenance.ts';
import type { Wording } from './declared-words.ts';
import type { Detector, Finding, Skipped } from './finding.ts';
import { noWeight } from './strength.ts';

export const compressionTables: Detector<Finding | Skipped> = {
  method: 'compression-tables',
  examine: ({ provenance: { quantisation } }) => {
    const { method } = compressionTables;
    if (quantisation === null) return { method, reason: noTables };
    const { quality } = quantisation;
    return {
      method,
      ...noWeight,
      statement: stateOf(quantisation),
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

function stateOf({ kind, name, quality }: QuantisationClass): Wording {
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
