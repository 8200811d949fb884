import type { AnalysisRecord } from './record.ts';
import type { ResultsFolder } from './results-folder.ts';

export type Files = readonly (readonly [name: string, content: Uint8Array])[];

/** Writes the folder of one picture: `result.json` and what was drawn. Returns the record with the paths. @throws as `ResultsFolder.write`. */
export async function keepResults(
  results: ResultsFolder,
  folderName: string,
  record: AnalysisRecord,
  drawn: Files,
): Promise<AnalysisRecord> {
  // Inside the folder the names stand alone, so that it can be moved and still be right.
  const inFolder = { ...record, files: ['result.json', ...drawn.map(([name]) => name)] };
  const text = `${JSON.stringify(inFolder, null, 2)}\n`;
  const files = new Map<string, Uint8Array | string>([['result.json', text], ...drawn]);
  return { ...record, files: await results.write(folderName, files) };
}
