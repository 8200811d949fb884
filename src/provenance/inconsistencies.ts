/**
 * Contradictions between what a file says in two places. None proves an alteration: clocks are wrong, services strip and
 * rewrite. Each is a question that an examiner would ask.
 *
 * @see CIPA DC-008-2023 (Exif 3.0), 4.6, for the tags; Adobe XMP specification part 2, ResourceEvent, for the history.
 */

import type { ExifClues, ExifTime } from '../image/exif-clues.ts';
import type { PictureFacts } from '../image/picture.ts';
import type {
  Inconsistency,
  InconsistencyCode,
  NamedSoftware,
  QuantisationClass,
} from './provenance.ts';
import type { ThumbnailComparison } from './thumbnail.ts';

export interface Records {
  readonly facts: PictureFacts;
  readonly exif: ExifClues;
  readonly software: readonly NamedSoftware[];
  readonly quantisation: QuantisationClass | null;
  /** Null without a thumbnail that could be read. */
  readonly thumbnail: ThumbnailComparison | null;
  readonly now: Date;
}

/** In the order of `inconsistencyCodes`. */
export function findInconsistencies(records: Records): readonly Inconsistency[] {
  return [
    ...compareTimes(records),
    ...compareSizes(records),
    ...compareThumbnail(records),
    ...compareCamera(records),
    ...readHistory(records),
    ...compareSatellites(records),
  ];
}

type Statement = Inconsistency['statement'];

function found(
  code: InconsistencyCode,
  statement: Statement,
  measures: Inconsistency['measures'] = {},
): Inconsistency {
  return { code, statement, measures };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Clocks of two places on earth differ by 26 hours at most (UTC-12 to UTC+14). */
const mostZoneHours = 26;

function compareTimes({ exif: { takenAt, changedAt }, now }: Records): readonly Inconsistency[] {
  const all: Inconsistency[] = [];
  if (takenAt !== null && changedAt !== null) all.push(...compareChange(takenAt, changedAt));
  const latest = Math.max(...[takenAt, changedAt].map((time) => (time === null ? 0 : utcOf(time))));
  const hoursAhead = (latest - now.getTime()) / hourMs;
  if (hoursAhead > mostZoneHours) {
    all.push(
      found(
        'time_in_future',
        {
          en: 'The file carries a time that lies in the future.',
          de: 'Die Datei trägt eine Zeitangabe, die in der Zukunft liegt.',
        },
        { hoursAhead },
      ),
    );
  }
  return all;
}

function compareChange(takenAt: ExifTime, changedAt: ExifTime): readonly Inconsistency[] {
  const isExact = takenAt.offsetMinutes !== null && changedAt.offsetMinutes !== null;
  const minutes = isExact
    ? (utcOf(changedAt) - utcOf(takenAt)) / minuteMs
    : (changedAt.at.getTime() - takenAt.at.getTime()) / minuteMs;
  // Cameras take a moment to write; a change is told by whoever rewrote the time, in whatever zone.
  if (minutes > 1) {
    return [
      found(
        'modified_after_capture',
        {
          en: `By its own record, the file was last written ${spanOf(minutes).en} after the picture was taken.`,
          de: `Nach eigener Angabe wurde die Datei ${spanOf(minutes).de} nach der Aufnahme zuletzt geschrieben.`,
        },
        { minutes },
      ),
    ];
  }
  if (minutes >= (isExact ? -1 : -60 * mostZoneHours)) return [];
  return [
    found(
      'created_after_modified',
      {
        en: `By its own record, the file was last written ${spanOf(-minutes).en} before the picture was taken.`,
        de: `Nach eigener Angabe wurde die Datei ${spanOf(-minutes).de} vor der Aufnahme zuletzt geschrieben.`,
      },
      { minutes: -minutes },
    ),
  ];
}

function utcOf({ at, offsetMinutes }: ExifTime): number {
  return at.getTime() - (offsetMinutes ?? 0) * minuteMs;
}

const units = {
  minute: { en: ['minute', 'minutes'], de: ['Minute', 'Minuten'] },
  hour: { en: ['hour', 'hours'], de: ['Stunde', 'Stunden'] },
  day: { en: ['day', 'days'], de: ['Tag', 'Tage'] },
} as const;

/** Whole minutes up to two hours, then hours up to two days, then days. */
function spanOf(minutes: number): Statement {
  const hours = minutes / 60;
  const [count, unit] =
    minutes < 120
      ? ([Math.round(minutes), units.minute] as const)
      : hours < 48
        ? ([Math.round(hours), units.hour] as const)
        : ([Math.round(hours / 24), units.day] as const);
  const form = count === 1 ? 0 : 1;
  return { en: `${count} ${unit.en[form]}`, de: `${count} ${unit.de[form]}` };
}

function compareSizes({ facts, exif: { statedSize } }: Records): readonly Inconsistency[] {
  if (statedSize === null) return [];
  const { storedWidth, storedHeight } = facts;
  const { width, height } = statedSize;
  const isSame =
    (width === storedWidth && height === storedHeight) ||
    (width === storedHeight && height === storedWidth);
  if (isSame) return [];
  const stated = `${width} × ${height}`;
  const stored = `${storedWidth} × ${storedHeight}`;
  return [
    found(
      'exif_size_differs',
      {
        en: `EXIF states a picture of ${stated} pixels; the file holds ${stored}: it was scaled or cropped after EXIF was written.`,
        de: `EXIF nennt ein Bild von ${stated} Pixeln; die Datei enthält ${stored}: Sie wurde nach dem Schreiben von EXIF skaliert oder beschnitten.`,
      },
      { statedWidth: width, statedHeight: height },
    ),
  ];
}

/** A thumbnail rounds its sides to whole pixels, and bars are found to within two of them. */
const mostShapeRatio = 1.06;
/** Set by hand on drawn pictures: the same scene stays above 0.98, another one below 0.67. */
const leastCorrelation = 0.8;

function compareThumbnail({ thumbnail }: Records): readonly Inconsistency[] {
  if (thumbnail === null) return [];
  const { shapeRatio, correlation } = thumbnail;
  if (shapeRatio > mostShapeRatio) {
    return [
      found(
        'thumbnail_shape_differs',
        {
          en: 'The thumbnail in EXIF has another shape than the picture: the picture was cropped or turned after the thumbnail was made.',
          de: 'Die Vorschau in EXIF hat andere Proportionen als das Bild: Das Bild wurde nach dem Erstellen der Vorschau beschnitten oder gedreht.',
        },
        { shapeRatio },
      ),
    ];
  }
  if (correlation === null || correlation >= leastCorrelation) return [];
  return [
    found(
      'thumbnail_content_differs',
      {
        en: 'The thumbnail in EXIF does not show the same as the picture: one of the two was exchanged or changed.',
        de: 'Die Vorschau in EXIF zeigt nicht dasselbe wie das Bild: Eines von beiden wurde ausgetauscht oder verändert.',
      },
      { correlation },
    ),
  ];
}

/**
 * Makers whose cameras and phones have written a maker note into every JPEG for two decades. Others do so in some models
 * and not in others.
 */
const notingMakers =
  /^(?:apple|canon|fujifilm|nikon|olympus|om digital solutions|panasonic|pentax|ricoh|sony)\b/i;

function compareCamera({ exif, software, quantisation }: Records): readonly Inconsistency[] {
  const camera = software.find(({ kind }) => kind === 'camera');
  if (camera === undefined) return [];
  const all: Inconsistency[] = [];
  if (quantisation?.kind === 'known-software') {
    all.push(
      found('camera_tags_without_camera_tables', {
        en: `The file names a camera, but its compression tables are those of ${quantisation.name}, a program: the picture was saved anew.`,
        de: `Die Datei nennt eine Kamera, ihre Kompressionstabellen sind aber die von ${quantisation.name}, einem Programm: Das Bild wurde neu gespeichert.`,
      }),
    );
  }
  const isExpected = notingMakers.test(exif.texts.Make ?? '') && exif.hasExposure;
  if (isExpected && !exif.hasMakerNote) {
    all.push(
      found('maker_note_missing_for_camera', {
        en: 'The maker note that cameras of this maker write is missing: EXIF was rewritten or made by something else.',
        de: 'Die Herstellernotiz, die Kameras dieses Herstellers schreiben, fehlt: EXIF wurde neu geschrieben oder stammt von etwas anderem.',
      }),
    );
  }
  return all;
}

function readHistory({ facts }: Records): readonly Inconsistency[] {
  const history = `${facts.metadata.xmp['History'] ?? ''}`;
  const steps = [...history.matchAll(/(?:^|, )action: (?!created)[a-z_]+/g)].length;
  if (steps === 0) return [];
  return [
    found(
      'xmp_history_of_editing',
      {
        en: `XMP keeps a history of ${steps === 1 ? 'one step' : `${steps} steps`} in which the file was converted or saved.`,
        de: `XMP enthält einen Verlauf von ${steps === 1 ? 'einem Schritt' : `${steps} Schritten`}, in denen die Datei umgewandelt oder gespeichert wurde.`,
      },
      { steps },
    ),
  ];
}

/** A receiver may hold on to its last fix for a while. */
const mostHoursOfFix = 1;

/** The receiver's clock is that of the satellites, the camera's is whatever somebody set. */
function compareSatellites({
  exif: { takenAt, satelliteTime },
}: Records): readonly Inconsistency[] {
  if (takenAt === null || satelliteTime === null) return [];
  const hoursApart = Math.abs(utcOf(takenAt) - satelliteTime.getTime()) / hourMs;
  const isZoneKnown = takenAt.offsetMinutes !== null;
  if (hoursApart <= mostHoursOfFix + (isZoneKnown ? 0 : 14)) return [];
  return [
    found(
      'gps_time_differs',
      {
        en: `The time of the satellite receiver and the time of capture lie ${spanOf(60 * hoursApart).en} apart, more than time zones explain.`,
        de: `Die Zeit des Satellitenempfängers und die Aufnahmezeit liegen ${spanOf(60 * hoursApart).de} auseinander, mehr als Zeitzonen erklären.`,
      },
      { hoursApart: Math.round(hoursApart) },
    ),
  ];
}
