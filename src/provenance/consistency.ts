/**
 * Contradictions between two records of a file. None proves an alteration: clocks are wrong, services strip and
 * rewrite. Each is a question that an examiner would ask.
 *
 * @see CIPA DC-008-2023 (Exif 3.0), 4.6, for the tags; Adobe XMP specification part 2, ResourceEvent, for the history.
 */

import type { ExifClues, ExifTime } from '../image/exif.ts';
import type { PictureFacts } from '../image/picture.ts';
import type { HistoryStep, Inconsistency, NamedSoftware, QuantisationClass } from './provenance.ts';
import type { ThumbnailComparison } from './thumbnail.ts';

interface Records {
  readonly facts: PictureFacts;
  readonly exif: ExifClues;
  readonly software: readonly NamedSoftware[];
  readonly history: readonly HistoryStep[];
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

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Max difference of clocks between two time zones: 26 hours (UTC-12 to UTC+14). */
const maxZoneHours = 26;

function compareTimes({ exif: { takenAt, changedAt }, now }: Records): readonly Inconsistency[] {
  const all: Inconsistency[] = [];
  if (takenAt !== null && changedAt !== null) all.push(...compareChange(takenAt, changedAt));
  const latest = Math.max(...[takenAt, changedAt].map((time) => (time === null ? 0 : toUtc(time))));
  // The difference is not reported: it would differ each time that the same file is looked at.
  if (latest > now.getTime() + maxZoneHours * hourMs) {
    all.push({
      code: 'time_in_future',
      values: {},
      measures: {},
    });
  }
  return all;
}

function compareChange(takenAt: ExifTime, changedAt: ExifTime): readonly Inconsistency[] {
  const isExact = takenAt.offsetMinutes !== null && changedAt.offsetMinutes !== null;
  const minutes = isExact
    ? (toUtc(changedAt) - toUtc(takenAt)) / minuteMs
    : (changedAt.at.getTime() - takenAt.at.getTime()) / minuteMs;
  // Cameras take a moment to write; a program that rewrites the time may use any time zone.
  if (minutes > 1) {
    return [
      {
        code: 'modified_after_capture',
        values: { minutes },
        measures: { minutes },
      },
    ];
  }
  if (minutes >= (isExact ? -1 : -60 * maxZoneHours)) return [];
  return [
    {
      code: 'created_after_modified',
      values: { minutes: -minutes },
      measures: { minutes: -minutes },
    },
  ];
}

function toUtc({ at, offsetMinutes }: ExifTime): number {
  return at.getTime() - (offsetMinutes ?? 0) * minuteMs;
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
    {
      code: 'exif_size_differs',
      values: { stated, stored },
      measures: { statedWidth: width, statedHeight: height },
    },
  ];
}

/** A thumbnail rounds its sides to whole pixels, and bars are found to within two of them. */
const maxShapeRatio = 1.06;
/** Set by hand on drawn pictures: the same scene stays above 0.98, another one below 0.67. */
const minCorrelation = 0.8;

function compareThumbnail({ thumbnail }: Records): readonly Inconsistency[] {
  if (thumbnail === null) return [];
  const { shapeRatio, correlation } = thumbnail;
  if (shapeRatio > maxShapeRatio) {
    return [
      {
        code: 'thumbnail_shape_differs',
        values: {},
        measures: { shapeRatio },
      },
    ];
  }
  if (correlation === null || correlation >= minCorrelation) return [];
  return [
    {
      code: 'thumbnail_content_differs',
      values: {},
      measures: { correlation },
    },
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
    all.push({
      code: 'camera_tags_without_camera_tables',
      values: { program: quantisation.name },
      measures: {},
    });
  }
  const isNoting = exif.texts.some(
    ({ field, text }) => field === 'Make' && notingMakers.test(text),
  );
  const isExpected = isNoting && exif.hasExposure;
  if (isExpected && !exif.hasMakerNote) {
    all.push({
      code: 'maker_note_missing_for_camera',
      values: {},
      measures: {},
    });
  }
  return all;
}

function readHistory({ history }: Records): readonly Inconsistency[] {
  const edits = history.filter(({ action }) => action !== 'created');
  const steps = edits.length;
  if (steps === 0) return [];
  const named = edits.findLast(({ software }) => software !== null);
  const last = named === undefined ? null : { software: named.software, when: named.when };
  return [
    {
      code: 'xmp_history_of_editing',
      values: { steps, last },
      measures: { steps },
    },
  ];
}

/** A receiver may hold on to its last fix for a while. */
const maxHoursOfFix = 1;

/** The receiver's clock is that of the satellites, the camera's is whatever somebody set. */
function compareSatellites({
  exif: { takenAt, satelliteTime },
}: Records): readonly Inconsistency[] {
  if (takenAt === null || satelliteTime === null) return [];
  const hoursApart = Math.abs(toUtc(takenAt) - satelliteTime.getTime()) / hourMs;
  const isZoneKnown = takenAt.offsetMinutes !== null;
  if (hoursApart <= maxHoursOfFix + (isZoneKnown ? 0 : 14)) return [];
  return [
    {
      code: 'gps_time_differs',
      values: { minutes: 60 * hoursApart },
      measures: { hoursApart: Math.round(hoursApart) },
    },
  ];
}
