import { columnsOf } from '../../terminal.ts';
import type { AnalyzeOptions } from '../options.ts';
import { createCsvFace } from './csv.ts';
import type { Face } from './face.ts';
import { createJsonFace, createJsonLinesFace } from './json.ts';
import { createListFace, createTextFace } from './text.ts';

/** One face a run, so that standard output is one document. */
export function chooseFace({ json, jsonl, csv, watch }: FaceOptions): Face {
  if (json) return createJsonFace();
  if (jsonl) return createJsonLinesFace();
  if (csv) return createCsvFace(process.stdout.isTTY);
  return watch ? createListFace() : createTextFace(columnsOf(process.stdout));
}

type FaceOptions = Pick<AnalyzeOptions, 'json' | 'jsonl' | 'csv' | 'watch'>;

export function isForPeople({ json, jsonl, csv }: Omit<FaceOptions, 'watch'>): boolean {
  return !json && !jsonl && !csv;
}
