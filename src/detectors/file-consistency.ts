/** Whether what the file records in several places agrees. A contradiction is a question to ask, hardly ever a proof. */

import type { InconsistencyCode } from '../contract/vocabulary.ts';
import type { Inconsistency } from '../provenance/provenance.ts';
import type { Wording } from './declarations.ts';
import { type Detector, type Finding, noWeight, type Skipped, weightOf } from './detector.ts';

export const fileConsistency: Detector<Finding | Skipped> = {
  method: 'file-consistency',
  examine: ({ picture: { facts }, provenance: { inconsistencies } }) => {
    const { method } = fileConsistency;
    const { exif, xmp } = facts.metadata;
    const isBare = Object.keys(exif).length + Object.keys(xmp).length === 0;
    if (isBare && inconsistencies.length === 0) return { method, reason: bare };
    const isOtherContent = inconsistencies.some(({ code }) => code === 'thumbnail_content_differs');
    return {
      method,
      ...(isOtherContent ? weightOf('fake', 'weak') : noWeight),
      statement: stateOf(inconsistencies),
      measures: { contradictions: inconsistencies.length },
      source:
        'CIPA DC-008 (Exif); Kee and Farid, "Digital image authentication from thumbnails", SPIE 2010.',
    };
  },
};

const bare = {
  en: 'The file holds no metadata that could contradict each other; services often remove them, so that says nothing.',
  de: 'Die Datei enthält keine Metadaten, die einander widersprechen könnten; Dienste entfernen sie oft, das sagt also nichts aus.',
};

const subjects: Readonly<Record<InconsistencyCode, Wording>> = {
  modified_after_capture: { en: 'written after capture', de: 'nach der Aufnahme geschrieben' },
  created_after_modified: {
    en: 'captured after it was written',
    de: 'nach dem Schreiben aufgenommen',
  },
  time_in_future: { en: 'a time in the future', de: 'eine Zeit in der Zukunft' },
  exif_size_differs: { en: 'another size in EXIF', de: 'eine andere Größe in EXIF' },
  thumbnail_shape_differs: {
    en: 'a thumbnail of another shape',
    de: 'eine Vorschau anderer Proportionen',
  },
  thumbnail_content_differs: {
    en: 'a thumbnail that shows something else',
    de: 'eine Vorschau, die etwas anderes zeigt',
  },
  camera_tags_without_camera_tables: {
    en: 'a camera’s name with a program’s compression tables',
    de: 'der Name einer Kamera bei Kompressionstabellen eines Programms',
  },
  maker_note_missing_for_camera: {
    en: 'a missing maker note',
    de: 'eine fehlende Herstellernotiz',
  },
  xmp_history_of_editing: { en: 'a history of editing', de: 'ein Bearbeitungsverlauf' },
  gps_time_differs: {
    en: 'a satellite time that differs',
    de: 'eine abweichende Satellitenzeit',
  },
};

function stateOf(inconsistencies: readonly Inconsistency[]): Wording {
  if (inconsistencies.length === 0) return consistent;
  const listOf = (language: 'en' | 'de') =>
    new Intl.ListFormat(language).format(
      inconsistencies.map(({ code }) => subjects[code][language]),
    );
  return {
    en: `The file’s own records raise questions: ${listOf('en')}; this need not mean an alteration of the picture.`,
    de: `Die eigenen Angaben der Datei werfen Fragen auf: ${listOf('de')}; das muss keine Veränderung des Bildes bedeuten.`,
  };
}

const consistent = {
  en: 'What the file records about times, sizes and thumbnail does not contradict itself; metadata can be rewritten, so that proves nothing.',
  de: 'Was die Datei über Zeiten, Größen und Vorschau angibt, widerspricht sich nicht; Metadaten lassen sich umschreiben, das beweist also nichts.',
};
