/** Documents with replaced words and their untouched counterparts: what the network for documents says of each. */

import { documentText } from '../../src/detectors/localisation-network.ts';
import { locatePlaces } from '../../src/engine/places.ts';
import type { Models } from '../../src/engine/schedule.ts';
import { readWords } from '../../src/engine/words.ts';
import { noProvenance } from '../../src/provenance/provenance.ts';
import { picturesOf } from './conditions.ts';
import { type Case, readPairs } from './manipulated/cases.ts';
import { readMask } from './manipulated/read-cases.ts';
import { percent, type Table, table } from './table.ts';

const conditions = ['as is', 'jpeg 75', 'half', 'post of 1600 px'] as const;

interface Row {
  readonly condition: string;
  readonly isChanged: boolean;
  /** Whether it was read as a document at all. */
  readonly isRead: boolean;
  readonly isFound: boolean;
  /** Whether one of the marked places lies on a replaced word. */
  readonly isPlaced: boolean;
}

/** @param folder - pairs that `locator-document-pairs --whole` wrote. */
export async function measureDocuments(
  folder: string,
  { locator }: Models,
  limit: number,
): Promise<Table> {
  const rows: Row[] = [];
  for (const one of readPairs(folder).slice(0, 2 * limit))
    rows.push(...(await readDocument(one, locator)));
  return table(
    [
      'condition',
      'documents',
      'read as such',
      'changed: found',
      'at the place',
      'untouched: found',
    ],
    conditions.map((condition) => {
      const some = rows.filter((row) => row.condition === condition);
      const [changed, untouched] = [true, false].map((is) =>
        some.filter((row) => row.isChanged === is),
      );
      return [
        condition,
        String(some.length),
        shareOf(some, ({ isRead }) => isRead),
        shareOf(changed!, ({ isFound }) => isFound),
        shareOf(changed!, ({ isFound, isPlaced }) => isFound && isPlaced),
        shareOf(untouched!, ({ isFound }) => isFound),
      ];
    }),
  );
}

function shareOf(rows: readonly Row[], is: (row: Row) => boolean): string {
  return percent(rows.filter(is).length / rows.length);
}

async function readDocument(one: Case, locator: Models['locator']): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const [condition, picture] of picturesOf(one.path, conditions)) {
    const row = { condition, isChanged: one.mask !== null };
    const words = await readWords(picture, locator);
    const traces = {
      fakeProbability: 0.5,
      fakeUncertainty: 0,
      patchesRead: 1,
      passes: 2,
      kind: null,
    };
    const answer = documentText.examine({
      picture,
      traces,
      changes: null,
      words,
      provenance: noProvenance,
    });
    if ('reason' in answer) {
      rows.push({ ...row, isRead: false, isFound: false, isPlaced: false });
      continue;
    }
    const isFound = answer.finding.strength !== 'none' && answer.finding.strength !== 'weak';
    const mask = one.mask === null ? null : await readMask(one.mask, picture.facts);
    const isPlaced = locatePlaces(null, [answer], picture.facts).some(({ region }) => {
      const { left, top, width, height } = region;
      return mask?.values.some((value, at) => {
        const [x, y] = [at % mask.width, Math.floor(at / mask.width)];
        return value > 127 && x >= left && x < left + width && y >= top && y < top + height;
      });
    });
    rows.push({ ...row, isRead: true, isFound, isPlaced });
  }
  return rows;
}
