import type { InconsistencyCode } from '../../../contract/vocabulary.ts';
import type { InconsistencyValues } from '../../../provenance/provenance.ts';

/** What was compared, by code. */
const inconsistencies = {
  modified_after_capture: ({ minutes }) =>
    `By its own record, the file was last written ${writeSpan(minutes)} after the picture was taken.`,
  created_after_modified: ({ minutes }) =>
    `By its own record, the file was last written ${writeSpan(minutes)} before the picture was taken.`,
  time_in_future: () => 'The file carries a time that lies in the future.',
  exif_size_differs: ({ stated, stored }) =>
    `EXIF states a picture of ${stated} pixels; the file holds ${stored}: it was scaled or cropped after EXIF was written.`,
  thumbnail_shape_differs: () =>
    'The thumbnail in EXIF has another shape than the picture: the picture was cropped or turned after the thumbnail was made.',
  thumbnail_content_differs: () =>
    'The thumbnail in EXIF does not show the same as the picture: one of the two was exchanged or changed.',
  camera_tags_without_camera_tables: ({ program }) =>
    `The file names a camera, but its compression tables are those of ${program}, a program: the picture was saved anew.`,
  maker_note_missing_for_camera: () =>
    'The maker note that cameras of this maker write is missing: EXIF was rewritten or made by something else.',
  xmp_history_of_editing: ({ steps }) =>
    `XMP keeps a history of ${steps === 1 ? 'one step' : `${steps} steps`} in which the file was converted or saved.`,
  gps_time_differs: ({ minutes }) =>
    `The time of the satellite receiver and the time of capture lie ${writeSpan(minutes)} apart, more than time zones explain.`,
} satisfies { readonly [Code in InconsistencyCode]: (values: InconsistencyValues[Code]) => string };

/** In minutes up to two hours, in hours up to two days, in days beyond. */
function writeSpan(minutes: number): string {
  if (minutes < 2 * 60) return writeCount(minutes, 'minute', 'minutes');
  if (minutes < 2 * 24 * 60) return writeCount(minutes / 60, 'hour', 'hours');
  return writeCount(minutes / (24 * 60), 'day', 'days');
}

function writeCount(length: number, one: string, more: string): string {
  const count = Math.round(length);
  return `${count} ${count === 1 ? one : more}`;
}

export const provenance = { inconsistencies };
