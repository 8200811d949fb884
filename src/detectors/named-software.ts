/** Which programs, cameras and platforms a file names. Names tell where to ask, not what was done. */

import type { NamedSoftware } from '../provenance/provenance.ts';
import { quoted, type Wording } from './declared-words.ts';
import type { Detector, Finding, Skipped } from './finding.ts';
import { noWeight } from './strength.ts';

/** More would make no sentence. */
const mostNames = 5;

export const namedSoftware: Detector<Finding | Skipped> = {
  method: 'named-software',
  examine: ({ provenance: { software } }) => {
    const { method } = namedSoftware;
    if (software.length === 0) return { method, reason: absent };
    return {
      method,
      ...noWeight,
      statement: stateOf(software.slice(0, mostNames)),
      measures: { names: software.length },
      source: 'CIPA DC-008 (Exif); Adobe XMP specification; C2PA Technical Specification 2.3.',
    };
  },
};

const absent = {
  en: 'The file names no program and no camera; services often remove the names, so that says nothing.',
  de: 'Die Datei nennt kein Programm und keine Kamera; Dienste entfernen die Namen oft, das sagt also nichts aus.',
};

const kindWords: Readonly<Record<NamedSoftware['kind'], Wording>> = {
  generator: { en: 'the generator', de: 'den Bildgenerator' },
  editor: { en: 'the editing program', de: 'das Bearbeitungsprogramm' },
  camera: { en: 'the camera', de: 'die Kamera' },
  platform: { en: 'the platform', de: 'die Plattform' },
  unknown: { en: 'the program', de: 'das Programm' },
};

function stateOf(software: readonly NamedSoftware[]): Wording {
  const words = software.map(({ kind, name }) => ({
    en: `${kindWords[kind].en} ${quoted(name).en}`,
    de: `${kindWords[kind].de} ${quoted(name).de}`,
  }));
  const listOf = (language: 'en' | 'de') =>
    new Intl.ListFormat(language).format(words.map((word) => word[language]));
  return {
    en: `The file names ${listOf('en')}; a name can be written by anybody and does not tell what was done to the picture.`,
    de: `Die Datei nennt ${listOf('de')}; einen Namen kann jeder eintragen, und er sagt nicht, was mit dem Bild geschah.`,
  };
}
