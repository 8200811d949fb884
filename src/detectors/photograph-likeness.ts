/**
 * Separates drawings, diagrams, pages of text and screenshots from photographs, because the trace network was trained
 * on photographs and generated pictures only. It says nothing about real or fake, so its score is always one half.
 *
 * A lens and sensor never leave a perfectly flat area next to a sharp edge, and their edges are several pixels wide;
 * drawing programs leave both. A night sky, a blown highlight or a cut-out product may be flat, but has soft edges or
 * uneven surroundings.
 */

import { type BlockStatistics, measureBlocks } from './block-statistics.ts';
import type { Detector, Finding, Skipped, TraceEvidence } from './detector.ts';
import type { FindingStatement } from './statements.ts';

/** A square of 128 pixels: below that, a single object may fill the picture. */
const minBlocks = 256;

/**
 * Weights of `flatBesideEdges`, `edgeSharpness` and `twoToneShare`: logistic regression on 288 synthetic drawings (flat
 * shapes, cartoons, text, line art, user interfaces, charts, gradients, dark terminals; as PNG, as JPEG 90, 75 and 50,
 * scaled, saved twice) against 6,168 scores of 2,056 photographs (unchanged, JPEG 75, JPEG 40). The limit was then set
 * by hand to protect photographs.
 */
const weights = { flatBesideEdges: 10.2, edgeSharpness: 11.6, twoToneShare: 7.7 } as const;
const drawnFrom = 18.8;

/** Without a quarter of flat blocks and some edges, the three numbers are unreliable. */
const minFlatShare = 0.25;
const minEdgeShare = 0.03;

/** Share of flat blocks from which a picture is blank. */
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

/** True unless `photographLikeness` produced a finding that says otherwise. */
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
  const isEmpty = flatShare >= emptyFrom;
  const statement = toStatement({ isDrawn, isEmpty }, seen);
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

/** The transformer names the kind of picture; the block statistics catch flat graphics that it takes for photographs. */
function toStatement(
  { isDrawn, isEmpty }: { readonly isDrawn: boolean; readonly isEmpty: boolean },
  seen: TraceEvidence['kind'],
): FindingStatement {
  if (isEmpty) return { code: 'one_flat_area', values: {} };
  const { kind } = seen ?? {};
  if (seen !== null && seen.photograph < seen.photographMin && kind !== 'photograph') {
    return { code: 'looks_like', values: { kind: kind! } };
  }
  return { code: isDrawn ? 'drawing' : 'photograph', values: {} };
}
