/**
 * Finds what an examiner would ask about in a file's records, such as two that disagree. None of it proves an
 * alteration, because clocks can be wrong, and services remove and rewrite metadata.
 *
 * @see CIPA DC-008-2023 (Exif 3.0), 4.6, for the tags; Adobe XMP specification part 2, ResourceEvent, for the history.
 */

import { isDeepStrictEqual } from 'node:util';
import type { ExifClues, ExifTime } from '../image/exif.ts';
import {
  chrominanceTable,
  type JpegStructure,
  luminanceTable,
  scaleTable,
} from '../image/jpeg-structure.ts';
import type { PictureFacts } from '../image/picture.ts';
import type {
  HistoryStep,
  Inconsistency,
  NamedSoftware,
  QuantisationClass,
} from '../contract/provenance.ts';
import type { alignThumbnail } from '../image/thumbnail.ts';

interface Records {
  readonly facts: PictureFacts;
  readonly exif: ExifClues;
  readonly software: readonly NamedSoftware[];
  readonly history: readonly HistoryStep[];
  readonly quantisation: QuantisationClass | null;
  /** Null if there is no readable thumbnail. */
  readonly thumbnail: ReturnType<typeof alignThumbnail>;
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

const nothing = { values: {}, measures: {} } as const;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Maximum difference between the local times of two time zones: 26 hours (from UTC-12 to UTC+14). */
const maxZoneHours = 26;

function compareTimes({ exif, now }: Records): readonly Inconsistency[] {
  const all: Inconsistency[] = [];
  // A clock that was never set is no evidence.
  const [takenAt, changedAt] = [exif.takenAt, exif.changedAt].map((time) =>
    time === null || isUnset(time.at) ? null : time,
  );
  if (takenAt && changedAt) all.push(...compareChange(takenAt, changedAt));
  const latest = Math.max(
    ...[exif.takenAt, exif.changedAt].map((time) => (time ? toUtc(time) : 0)),
  );
  // The difference is not reported, because it would be different whenever the same file is examined again.
  if (latest > now.getTime() + maxZoneHours * hourMs) {
    all.push({ code: 'time_in_future', ...nothing });
  }
  return all;
}

function compareChange(takenAt: ExifTime, changedAt: ExifTime): readonly Inconsistency[] {
  const isExact = takenAt.offsetMinutes !== null && changedAt.offsetMinutes !== null;
  const minutes = isExact
    ? (toUtc(changedAt) - toUtc(takenAt)) / minuteMs
    : (changedAt.at.getTime() - takenAt.at.getTime()) / minuteMs;
  // Cameras take a moment to write the file; a program that rewrites the time may use any time zone.
  if (minutes > 1) {
    return [{ code: 'modified_after_capture', values: { minutes }, measures: { minutes } }];
  }
  if (minutes >= (isExact ? -1 : -60 * maxZoneHours)) return [];
  const ahead = { minutes: -minutes };
  return [{ code: 'created_after_modified', values: ahead, measures: ahead }];
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
  const values = { stated: `${width} × ${height}`, stored: `${storedWidth} × ${storedHeight}` };
  const measures = { statedWidth: width, statedHeight: height };
  return [{ code: 'exif_size_differs', values, measures }];
}

/** The sides of a thumbnail are rounded to whole pixels, and bars are located to within two pixels. */
const maxShapeRatio = 1.06;
/** Set by hand on synthetic pictures: correlations are above 0.98 for the same scene, below 0.67 for others. */
const minCorrelation = 0.8;

function compareThumbnail({ thumbnail }: Records): readonly Inconsistency[] {
  if (thumbnail === null) return [];
  const { shapeRatio, correlation } = thumbnail;
  if (shapeRatio > maxShapeRatio) {
    return [{ code: 'thumbnail_shape_differs', values: {}, measures: { shapeRatio } }];
  }
  if (correlation === null || correlation >= minCorrelation) return [];
  return [{ code: 'thumbnail_content_differs', values: {}, measures: { correlation } }];
}

/** Makers that have written a maker note into every JPEG for two decades; others do so only in some models. */
const makersWithNotes =
  /^(?:apple|canon|fujifilm|nikon|olympus|om digital solutions|panasonic|pentax|ricoh|sony)\b/i;

function compareCamera({ exif, software, quantisation }: Records): readonly Inconsistency[] {
  const camera = software.find(({ kind }) => kind === 'camera');
  if (camera === undefined) return [];
  const all: Inconsistency[] = [];
  if (quantisation?.kind === 'known-software') {
    const values = { program: quantisation.name };
    all.push({ code: 'camera_tags_without_camera_tables', values, measures: {} });
  }
  const makers = exif.texts.filter(({ field }) => field === 'Make');
  const isExpected = exif.hasExposure && makers.some(({ text }) => makersWithNotes.test(text));
  if (isExpected && !exif.hasMakerNote) {
    all.push({ code: 'maker_note_missing_for_camera', ...nothing });
  }
  return all;
}

function readHistory({ history }: Records): readonly Inconsistency[] {
  const edits = history.filter(({ action }) => action !== 'created');
  const steps = edits.length;
  if (steps === 0) return [];
  const named = edits.findLast(({ software }) => software !== null);
  const last = named === undefined ? null : { software: named.software, when: named.when };
  return [{ code: 'xmp_history_of_editing', values: { steps, last }, measures: { steps } }];
}

/** A receiver may keep its last fix for this long. */
const maxHoursOfFix = 1;
/** Maximum offset of local time from UTC. */
const maxHoursOfZone = 14;
const dayHours = 24;
/** GPS receivers restart their count of weeks at this limit; old ones are then off by it (IS-GPS-200, 20.3.3.3.1.1). */
const rolloverHours = 1024 * 7 * dayHours;
const gpsWeekStarts = ['1999-08-22', '2019-04-07'];

/** The receiver's time comes from the satellites, but the camera's clock was set by hand. */
function compareSatellites({ exif }: Records): readonly Inconsistency[] {
  const { takenAt, satelliteTime } = exif;
  if (takenAt === null || satelliteTime === null) return [];
  // If its battery has run out, a camera restarts on 1 January of some year.
  const isReset = takenAt.at.getUTCMonth() === 0 && takenAt.at.getUTCDate() === 1;
  if (isReset || isUnset(takenAt.at)) return [];
  // The receiver had no time yet: cameras had no GPS at that date, or it is the first day of a week count.
  const day = satelliteTime.toISOString().slice(0, 10);
  const isFirstDay = isUnset(satelliteTime) || gpsWeekStarts.includes(day);
  if (isFirstDay || satelliteTime.getUTCFullYear() < 1995) return [];
  const hoursAhead = (toUtc(takenAt) - satelliteTime.getTime()) / hourMs;
  if (isExplained(hoursAhead, takenAt)) return [];
  const hoursApart = Math.abs(hoursAhead);
  const measures = { hoursApart: Math.round(hoursApart) };
  return [{ code: 'gps_time_differs', values: { minutes: 60 * hoursApart }, measures }];
}

/** Whether the difference can be due to a time zone, a GPS week rollover, or a program that wrote local time as UTC. */
function isExplained(hoursAhead: number, { offsetMinutes }: ExifTime): boolean {
  const rollovers = Math.round(hoursAhead / rolloverHours);
  const hours = hoursAhead - rollovers * rolloverHours;
  const slack = maxHoursOfFix + (offsetMinutes === null ? maxHoursOfZone : 0);
  const asLocalTime = offsetMinutes === null ? 0 : offsetMinutes / 60;
  const explained = [0, dayHours, -dayHours, -asLocalTime];
  return explained.some((one) => Math.abs(hours - one) <= slack);
}

/** Years in which camera clocks that were never set start, on 1 January. */
const firstYears = [1904, 1970, 1980, 1990, 2000];

/** At most a week after the first date. Some cameras start on 1 January of the year in which they were made. */
function isUnset(at: Date): boolean {
  if (at.getUTCMonth() !== 0) return false;
  const day = at.getUTCDate();
  const isMidnight = day === 1 && at.getUTCHours() === 0;
  return isMidnight || (firstYears.includes(at.getUTCFullYear()) && day <= 7);
}

/** mozjpeg's default for luma and chroma, in zig-zag order, from files that it wrote; by N. Robidoux. */
const mozjpegBase: readonly number[] = [
  16, 16, 16, 16, 17, 16, 18, 20, 20, 18, 25, 27, 24, 27, 25, 37, 34, 31, 31, 34, 37, 56, 40, 43,
  40, 43, 40, 56, 85, 53, 62, 53, 53, 62, 53, 85, 75, 91, 74, 69, 74, 91, 75, 135, 106, 94, 94, 106,
  135, 156, 131, 124, 131, 156, 189, 169, 169, 189, 238, 226, 238, 311, 311, 418,
];

/**
 * @returns `custom` even if the luma and chroma tables are both libjpeg's, provided their settings differ.
 * @see J. D. Kornblum, "Using JPEG quantization tables to identify imagery processed by software", Digital
 *   Investigation 5 (2008), for the classes.
 */
export function classifyTables(jpeg: JpegStructure): QuantisationClass {
  const stepsOf = (table: number) =>
    jpeg.quantisationTables.find(({ id }) => id === table)?.steps ?? [];
  const [luma = [], ...colours] = jpeg.components.map((one) => stepsOf(one.quantisationTable));
  const hasTables = (lumaTable: readonly number[], colourTable: readonly number[]) =>
    isDeepStrictEqual(luma, lumaTable) &&
    colours.every((colour) => isDeepStrictEqual(colour, colourTable));
  for (let quality = 100; quality >= 1; quality--) {
    if (hasTables(luminanceTable(quality), chrominanceTable(quality))) {
      return { kind: 'libjpeg', name: null, quality };
    }
  }
  // The standard tables are checked first, because both match if all steps are 1 or 255.
  for (let quality = 100; quality >= 1; quality--) {
    const table = scaleTable(mozjpegBase, quality);
    if (hasTables(table, table)) return { kind: 'known-software', name: 'mozjpeg', quality: null };
  }
  return { kind: 'custom', name: null, quality: null };
}
