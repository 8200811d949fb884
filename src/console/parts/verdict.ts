/** The verdict of a result, the reason of a failure, and times, as on the terminal and in reports. */

import type { Analysis } from '../../contract/analysis.ts';
import { type Language, type ResultClass, resultClasses } from '../../contract/vocabulary.ts';
import { writeFailure } from '../../present/failures.ts';
import { createNumberWriter } from '../../present/wording/catalogue.ts';
import { present, type Presentation } from '../../present/presentation.ts';
import { readAnswer, type Result } from '../../present/result.ts';

type Judged = Pick<Analysis, 'inferenceStatus'>;

export function readClass({ inferenceStatus: { result, status } }: Judged): ResultClass | null {
  return (status === 'completed' && result && resultClasses[result.resultClass]) || null;
}

export function readVerdict(analysis: Judged): Result | null {
  const verdict = readClass(analysis);
  if (verdict === null) return null;
  // The client may have declared the size before EXIF rotation, but regions refer to the rotated picture.
  const { evidence = null, resultSubClasses = [] } = analysis.inferenceStatus.result ?? {};
  return readAnswer(verdict, evidence, [], resultSubClasses);
}

export function writeVerdict(analysis: Judged, language: Language): Presentation | null {
  const result = readVerdict(analysis);
  return result && present(result, language);
}

export function writeReason({ inferenceStatus }: Analysis, language: Language): string {
  const { status, statusMessage: message, failure } = inferenceStatus;
  return status === 'failed' ? writeFailure({ message, reason: failure ?? null }, language) : '';
}

/** Writes times as in reports, but to the minute: `2026-03-02 15:04 CET`, `02.03.2026, 15:04 CET`. */
export function writeTime(at: string, language: Language): string {
  if (Number.isNaN(Date.parse(at))) return at;
  const [day, clock, zone] = toLocalTime(at).split(' ');
  return createNumberWriter(language).stated(`${day}T${clock}${zone}`);
}

/** `2026-03-02 15:04 CET`, in the browser's time zone. */
export function toLocalTime(at: string): string {
  return timeWriter.format(new Date(at));
}

/** The Swedish date format is ISO 8601. Kept, because creating a formatter takes as long as formatting 100 dates. */
const timeWriter = new Intl.DateTimeFormat('sv-SE', {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
