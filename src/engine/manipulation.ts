/** From the methods that look for local changes to one statement about the picture, and one map. */

import type { Answer, Finding, Sighting } from '../detectors/finding.ts';
import { largestPart } from '../detectors/places.ts';
import type { LocateManifest } from '../inference/model.ts';
import { type CellGrid, ontoGrid } from './cells.ts';
import { fusePlaces, fuseScores, type MethodMaps } from './fusion.ts';
import type { Manipulation } from './result.ts';

export interface Localisation {
  readonly manipulation: Manipulation;
  /** 0..1: how near the probability of a change comes to that from which on `default` suspects one; 1 from there on. */
  readonly suspicion: number;
  /** Probability 0..1 of each cell to be changed, if something in the picture was. */
  readonly changed: Float32Array;
  readonly methods: MethodMaps;
}

interface Given {
  /** Pixels of the upright picture. */
  readonly size: { readonly width: number; readonly height: number };
  readonly answers: readonly Answer[];
  readonly grid: CellGrid;
  readonly manifest: Pick<LocateManifest, 'fusion' | 'thresholds'>;
}

/** A place counts as changed from here on. */
const changedFrom = 0.5;

export function localise({ size, answers, grid, manifest }: Given): Localisation {
  const { fusion, thresholds } = manifest;
  const sightings = answers.filter((answer) => 'finding' in answer);
  const methods = mapsOf(sightings, grid);
  const changed = fusePlaces(fusion, methods, grid.columns * grid.rows);
  const probability = fuseScores(fusion, answers.flatMap(findingOf));
  const isSuspected = probability >= thresholds.suspectedMin.pedantic;
  return {
    manipulation: {
      probability,
      region: isSuspected ? largestPart({ ...grid, values: changed }, changedFrom, size) : null,
      methods: sightings.filter(speaksForChange).map(({ finding }) => finding.method),
    },
    suspicion: Math.min(1, probability / thresholds.suspectedMin.default),
    changed,
    methods,
  };
}

/** Empty for a method that was skipped. */
export function findingOf(answer: Answer): readonly Finding[] {
  if ('reason' in answer) return [];
  return ['finding' in answer ? answer.finding : answer];
}

function mapsOf(sightings: readonly Sighting[], grid: CellGrid): MethodMaps {
  return Object.fromEntries(
    sightings.map(({ finding, map }) => [finding.method, ontoGrid(map, grid)]),
  );
}

function speaksForChange({ finding: { speaksFor, strength } }: Sighting): boolean {
  return speaksFor === 'fake' && strength !== 'none';
}
