import type { provenance as english } from '../en/provenance.ts';

type English = typeof english;

const inconsistencies: English['inconsistencies'] = {
  modified_after_capture: ({ minutes }) =>
    `Nach eigener Angabe wurde die Datei ${writeSpan(minutes)} nach der Aufnahme zuletzt geschrieben.`,
  created_after_modified: ({ minutes }) =>
    `Nach eigener Angabe wurde die Datei ${writeSpan(minutes)} vor der Aufnahme zuletzt geschrieben.`,
  time_in_future: () => 'Die Datei trägt eine Zeitangabe, die in der Zukunft liegt.',
  exif_size_differs: ({ stated, stored }) =>
    `EXIF nennt ein Bild von ${stated} Pixeln; die Datei enthält ${stored}: Sie wurde nach dem Schreiben von EXIF skaliert oder beschnitten.`,
  thumbnail_shape_differs: () =>
    'Die Vorschau in EXIF hat andere Proportionen als das Bild: Das Bild wurde nach dem Erstellen der Vorschau beschnitten oder gedreht.',
  thumbnail_content_differs: () =>
    'Die Vorschau in EXIF zeigt nicht dasselbe wie das Bild: Eines von beiden wurde ausgetauscht oder verändert.',
  camera_tags_without_camera_tables: ({ program }) =>
    `Die Datei nennt eine Kamera, ihre Kompressionstabellen sind aber die von ${program}, einem Programm: Das Bild wurde neu gespeichert.`,
  maker_note_missing_for_camera: () =>
    'Die Herstellernotiz, die Kameras dieses Herstellers schreiben, fehlt: EXIF wurde neu geschrieben oder stammt von etwas anderem.',
  xmp_history_of_editing: ({ steps }) =>
    `XMP enthält einen Verlauf von ${steps === 1 ? 'einem Schritt' : `${steps} Schritten`}, in denen die Datei umgewandelt oder gespeichert wurde.`,
  gps_time_differs: ({ minutes }) =>
    `Die Zeit des Satellitenempfängers und die Aufnahmezeit liegen ${writeSpan(minutes)} auseinander, mehr als Zeitzonen erklären.`,
};

/** In minutes up to two hours, in hours up to two days, in days beyond. */
function writeSpan(minutes: number): string {
  if (minutes < 2 * 60) return writeCount(minutes, 'Minute', 'Minuten');
  if (minutes < 2 * 24 * 60) return writeCount(minutes / 60, 'Stunde', 'Stunden');
  return writeCount(minutes / (24 * 60), 'Tag', 'Tage');
}

function writeCount(length: number, one: string, more: string): string {
  const count = Math.round(length);
  return `${count} ${count === 1 ? one : more}`;
}

export const provenance: English = { inconsistencies };
