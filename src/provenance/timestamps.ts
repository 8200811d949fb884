/** Contradictions between a file's clocks: capture, last change, satellites, and today. */

import type { ExifClues, ExifTime } from '../image/exif.ts';
import type { Inconsistency } from './provenance.ts';

interface Clocks {
  readonly exif: Pick<ExifClues, 'takenAt' | 'changedAt' | 'satelliteTime'>;
  readonly now: Date;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Max difference of clocks between two time zones: 26 hours (UTC-12 to UTC+14). */
const maxZoneHours = 26;

export function compareTimes({
  exif: { takenAt, changedAt },
  now,
}: Clocks): readonly Inconsistency[] {
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

/** A receiver may hold on to its last fix for a while. */
const maxHoursOfFix = 1;

/** The receiver's clock is that of the satellites, the camera's is whatever somebody set. */
export function compareSatellites({
  exif: { takenAt, satelliteTime },
}: Clocks): readonly Inconsistency[] {
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
