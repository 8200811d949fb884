/** Where findings are in the picture, and their numbers, starting with those in the report. */

import type { Evidence } from '../../contract/evidence.ts';
import type { PixelBox } from '../../image/pixels.ts';

type Finding = Evidence['findings'][number];

export interface Located {
  readonly number: number;
  /** Marked by all methods together, as in the report. */
  readonly isMarked: boolean;
  readonly boxes: readonly PixelBox[];
  readonly methods: readonly string[];
}

/** The selection: a number and, if a method was chosen, the method whose own mark is shown. */
export interface Selected {
  readonly number: number;
  readonly method: string | null;
}

export interface PlacesProps {
  readonly evidence: Evidence | null;
  readonly located: readonly Located[];
  readonly selected: Selected | null;
  readonly setSelected: (selected: Selected | null) => void;
}

/** Outside the validated range, this method marks whatever is unlike its training pictures. */
const untested = 'localisation-network';

/** @param hasChange - whether the combined mark of all methods has a validated meaning. */
export function locate(evidence: Evidence, hasChange: boolean): readonly Located[] {
  const { manipulation, findings } = evidence;
  const { region = null, places } = manipulation ?? {};
  const marked = places ?? (region === null ? [] : [{ region, methods: [] }]);
  const found = (hasChange && isOfPart(evidence) ? marked : []).map((place, at) => {
    return { number: at + 1, isMarked: true, boxes: [place.region], methods: place.methods };
  });
  const known = new Set([
    ...found.flatMap(({ methods }) => methods),
    ...(hasChange ? [] : [untested]),
  ]);
  const others = findings.filter(
    (finding) => isSpeaking(finding) && finding.speaksFor === 'fake' && !known.has(finding.method),
  );
  const own = others.flatMap(({ method, measures }) =>
    boxesIn(measures).map((box) => ({ isMarked: false, boxes: [box], methods: [method] })),
  );
  const more = own.map((one, at) => ({ ...one, number: found.length + at + 1 }));
  return [...found, ...more];
}

/** Whether the answer is that a part was changed, or may have been. */
export function isOfPart({ basis, reasons }: Evidence): boolean {
  return basis === 'localisation' || reasons.some(({ code }) => code === 'manipulation_suspected');
}

export function isSpeaking({ speaksFor, strength }: Finding): boolean {
  return speaksFor !== 'neither' && strength !== 'none';
}

export function numbersOf(located: readonly Located[], method: string): readonly number[] {
  return located.filter(({ methods }) => methods.includes(method)).map(({ number }) => number);
}

/** The mark of this method if it is selected, otherwise the combined mark of all methods. */
export function boxesOf(
  { number, boxes }: Located,
  selected: Selected | null,
  { findings }: Evidence,
): readonly PixelBox[] {
  const method = selected?.number === number ? selected.method : null;
  const own = boxesIn(findings.find((finding) => finding.method === method)?.measures ?? {});
  const here = own.filter((one) => boxes.some((other) => doOverlap(one, other)));
  return here.length > 0 ? here : boxes;
}

/** Copied parts have two places. */
function boxesIn(measures: Finding['measures']): readonly PixelBox[] {
  const { regionLeft, regionTop, regionWidth, regionHeight, otherLeft, otherTop } = measures;
  if (regionLeft === undefined || regionTop === undefined) return [];
  const [width, height] = [regionWidth ?? 0, regionHeight ?? 0];
  const here = { left: regionLeft, top: regionTop, width, height };
  if (otherLeft === undefined || otherTop === undefined) return [here];
  return [here, { left: otherLeft, top: otherTop, width, height }];
}

function doOverlap(one: PixelBox, other: PixelBox): boolean {
  const isBeside = one.left >= other.left + other.width || other.left >= one.left + one.width;
  const isAbove = one.top >= other.top + other.height || other.top >= one.top + one.height;
  return !isBeside && !isAbove;
}
