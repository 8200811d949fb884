/**
 * Separates drawings, diagrams, pages of text and screenshots from photographs, because the trace network was trained
 * only on photographs and generated pictures. This says nothing about real or fake, so its score is always 0.5.
 *
 * A lens and sensor never leave a perfectly flat area next to a sharp edge, and their edges are several pixels wide;
 * drawing programs produce both flat areas and sharp edges. A night sky, a blown highlight or a cut-out product may be
 * flat, but has soft edges or uneven surroundings.
 */

import type { Detector, Finding, Skipped, TraceEvidence } from './detector.ts';
import type { FindingStatement } from './statements.ts';

/** The area of a square of 128 pixels: in a smaller picture, a single object may fill everything. */
const minBlocks = 256;

/**
 * Weights of `flatBesideEdges`, `edgeSharpness` and `twoToneShare`: logistic regression on 288 synthetic drawings (flat
 * shapes, cartoons, text, line art, user interfaces, charts, gradients, dark terminals; as PNG, as JPEG 90, 75 and 50,
 * scaled, saved twice) against 6,168 scores of 2,056 photographs (unchanged, JPEG 75, JPEG 40). The limit was then set
 * by hand, to protect photographs.
 */
const weights = { flatBesideEdges: 10.2, edgeSharpness: 11.6, twoToneShare: 7.7 } as const;
const drawnFrom = 18.8;

/** Unless a quarter of the blocks are flat and some have edges, the three numbers are unreliable. */
const minFlatShare = 0.25;
const minEdgeShare = 0.03;

/** Share of flat blocks above which a picture is blank. */
const emptyFrom = 0.999;

export const photographLikeness: Detector<Finding | Skipped> = {
  method: 'photograph-likeness',
  examine: ({ picture, traces }) => {
    const { width, height } = picture.facts;
    const statistics = measureBlocks(picture.luma, width, height);
    if (statistics.blocks >= minBlocks) return toFinding(statistics, traces.kind);
    return { method: photographLikeness.method, reason: 'too_small_for_drawings' };
  },
};

/** False only if `photographLikeness` found that the picture is not a photograph. */
export function isPhotograph(findings: readonly Pick<Finding, 'method' | 'measures'>[]): boolean {
  const finding = findings.find(({ method }) => method === photographLikeness.method);
  return finding?.measures['isPhotograph'] !== 0;
}

function toFinding(statistics: BlockStatistics, seen: TraceEvidence['kind']): Finding {
  const { flatShare, edgeShare, flatBesideEdges, edgeSharpness, twoToneShare } = statistics;
  const drawn =
    weights.flatBesideEdges * flatBesideEdges +
    weights.edgeSharpness * edgeSharpness +
    weights.twoToneShare * twoToneShare;
  const isDrawn = drawn >= drawnFrom && flatShare >= minFlatShare && edgeShare >= minEdgeShare;
  const statement = toStatement(isDrawn, flatShare >= emptyFrom, seen);
  return {
    method: photographLikeness.method,
    score: 0.5,
    speaksFor: 'neither',
    strength: 'none',
    statement,
    measures: {
      isPhotograph: statement.code === 'photograph' ? 1 : 0,
      drawnScore: drawn,
      flatShare,
      edgeShare,
      flatBesideEdges,
      edgeSharpness,
      twoToneShare,
      ...(seen === null ? {} : { photographScore: seen.photograph }),
    },
    source:
      'Block statistics of this program, fitted on drawn pictures and photographs; the vision transformer of the model (see the model card).',
  };
}

/** The block statistics recognise flat graphics that the transformer takes for photographs. */
function toStatement(
  isDrawn: boolean,
  isEmpty: boolean,
  seen: TraceEvidence['kind'],
): FindingStatement {
  if (isEmpty) return { code: 'one_flat_area', values: {} };
  if (seen !== null && seen.photograph < seen.photographMin && seen.kind !== 'photograph')
    return { code: 'looks_like', values: { kind: seen.kind } };
  return { code: isDrawn ? 'drawing' : 'photograph', values: {} };
}

// How flat and how sharp a picture is, by 8 by 8 pixel blocks on JPEG's own grid: ringing stays
// within its block, so a flat block next to an edge stays flat in a JPEG.

type BlockStatistics = ReturnType<typeof measureBlocks>;

const side = 8;
/** In grey levels: the greatest range of luma in a flat block, and the smallest in blocks with edges and with contrast. */
const flatRange = 2;
const edgeRange = 32;
const contrastRange = 64;

const between = 0;
const flat = 1;
const edge = 2;

export function measureBlocks(luma: Uint8Array, width: number, height: number) {
  const columns = Math.floor(width / side);
  const rows = Math.floor(height / side);
  const kinds = new Uint8Array(columns * rows);
  let sharpness = 0;
  let contrastPixels = 0;
  let extremePixels = 0;
  for (let block = 0; block < kinds.length; block++) {
    const column = block % columns;
    const start = ((block - column) / columns) * side * width + column * side;
    const { darkest, brightest } = blockExtremes(luma, start, width);
    const range = brightest - darkest;
    kinds[block] = range <= flatRange ? flat : range >= edgeRange ? edge : between;
    if (range >= edgeRange) sharpness += greatestStep(luma, start, width) / range;
    if (range >= contrastRange) {
      contrastPixels += side * side;
      extremePixels += countExtremes(luma, start, width, darkest, brightest);
    }
  }
  const flats = kinds.filter((kind) => kind === flat).length;
  const edges = kinds.filter((kind) => kind === edge).length;
  return {
    blocks: kinds.length,
    flatShare: ratio(flats, kinds.length),
    edgeShare: ratio(edges, kinds.length),
    flatBesideEdges: shareOfFlats(kinds, columns, rows),
    /** Largest step between adjacent pixels relative to the range of the block, 0..1; mean over the edge blocks. */
    edgeSharpness: ratio(sharpness, edges),
    /** In blocks of high contrast: share of pixels within a tenth of the range from either of its ends. */
    twoToneShare: ratio(extremePixels, contrastPixels),
  };
}

/** Darkest and brightest pixel of the block at `start`. */
function blockExtremes(luma: Uint8Array, start: number, width: number) {
  let darkest = 255;
  let brightest = 0;
  for (let line = start; line < start + side * width; line += width) {
    for (let at = line; at < line + side; at++) {
      const here = luma[at]!;
      if (here < darkest) darkest = here;
      if (here > brightest) brightest = here;
    }
  }
  return { darkest, brightest };
}

/** Largest luma difference between adjacent pixels inside the block. */
function greatestStep(luma: Uint8Array, start: number, width: number): number {
  let step = 0;
  for (let y = 0; y < side; y++) {
    const line = start + y * width;
    for (let x = 0; x < side; x++) {
      const here = luma[line + x]!;
      const right = x < side - 1 ? Math.abs(here - luma[line + x + 1]!) : 0;
      const below = y < side - 1 ? Math.abs(here - luma[line + x + width]!) : 0;
      if (right > step) step = right;
      if (below > step) step = below;
    }
  }
  return step;
}

function countExtremes(
  luma: Uint8Array,
  start: number,
  width: number,
  darkest: number,
  brightest: number,
): number {
  const near = (brightest - darkest) / 10;
  let extremes = 0;
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const here = luma[start + y * width + x]!;
      if (here - darkest <= near || brightest - here <= near) extremes++;
    }
  }
  return extremes;
}

/** Share of flat blocks among the neighbours of edge blocks that have no edges themselves; 0 if there are none. */
function shareOfFlats(kinds: Uint8Array, columns: number, rows: number): number {
  let [neighbours, flats] = [0, 0];
  for (let block = 0; block < kinds.length; block++) {
    if (kinds[block] !== edge) continue;
    const x = block % columns;
    const y = (block - x) / columns;
    for (let ny = Math.max(0, y - 1); ny <= Math.min(rows - 1, y + 1); ny++) {
      for (let nx = Math.max(0, x - 1); nx <= Math.min(columns - 1, x + 1); nx++) {
        const kind = kinds[ny * columns + nx];
        if (kind !== edge) neighbours++;
        if (kind === flat) flats++;
      }
    }
  }
  return ratio(flats, neighbours);
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
