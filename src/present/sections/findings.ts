/** Every method once: what it found, how strong that is, and where; then the picture beside its heatmaps. */

import type { MapName } from '../../engine/result.ts';
import { localisingDetectors, retiredMethods } from '../../detectors/list.ts';
import { type WordedFinding, writeNextStep } from '../findings.ts';
import { capitalised, nameIn, printable } from '../printable.ts';
import type { ReportItem } from '../report-item.ts';
import { describeMap, readMap } from '../report-texts.ts';
import { markedPlaces } from '../result.ts';
import { references, usesOfMethods } from '../wording/references.ts';
import {
  type Block,
  grid,
  type GridRow,
  heading,
  note,
  only,
  paragraph,
  plainGrid,
  type SectionInput,
  type HeatmapBlock,
} from './blocks.ts';

/** Shown on request only: examiners know error level analysis, but no verdict uses it. */
const shownOnRequest = 'error-level';

/** These methods read what the file says about itself; the section on provenance has the details. */
export const toldInProvenance: ReadonlySet<string> = new Set([
  'content-credentials',
  'declared-origin',
  'named-software',
  'file-consistency',
  'compression-tables',
  'file-layout',
]);

export function findingBlocks(input: SectionInput): readonly Block[] {
  const { evidence, labels, language, item, examination, catalogue } = input;
  const { columns, outside, panels, elsewhere } = labels.findings;
  const doesAnySpeak = evidence.findings.some((finding) => writeSide(input, finding) !== null);
  const isOutside = examination.decision.resultClass === 'abstain';
  const rows = evidence.findings
    .filter(({ method }) => isShown(method, item))
    .filter(
      (finding) => !toldInProvenance.has(finding.method) || writeSide(input, finding) !== null,
    )
    .map((finding) => toRow(input, finding, isOutside));
  const hasPanels = rows.some(({ panel }) => panel !== undefined);
  const silent = evidence.skipped
    .filter(({ method }) => !toldInProvenance.has(method))
    .map(({ method, reason }) => ({
      label: methodName(input, method),
      value: printable(reason[language]),
    }));
  return [
    ...only(isOutside, note(outside)),
    note(elsewhere(labels.sections.provenance)),
    ...only(hasPanels, note(panels)),
    // If no method points to a place, the text takes up the space of the maps.
    ...only(rows.length > 0, grid(columns, hasPanels ? [0.55, 0.24, 0.21] : [0.76, 0.24], rows)),
    ...only(!isOutside && !doesAnySpeak, paragraph(catalogue.strength.evaluation.noneSpeaks)),
    ...only(silent.length > 0, heading(labels.withoutFinding), plainGrid(silent)),
  ];
}

/** Whether the report shows this method. */
export function isShown(method: string, { withErrorLevel }: ReportItem): boolean {
  return method !== shownOnRequest || withErrorLevel === true;
}

/** One method: what it found, how strong that is, and its map if it points to a place. */
function toRow(input: SectionInput, finding: WordedFinding, isOutside: boolean): GridRow {
  const { language, labels, examination, catalogue } = input;
  const { method, statement } = finding;
  const side = isOutside ? null : writeSide(input, finding);
  const { none, notStated } = labels.findings;
  const { shownOnly } = catalogue.measurements;
  const shown = method === shownOnRequest ? shownOnly : none;
  const isOnlyShown = method === shownOnRequest || retiredMethods.includes(method);
  // The method indicates a change but had no weight in the combined result.
  const isLeftOut = isOnlyShown && examination.manipulation?.methods.includes(method) !== true;
  const told = side !== null && isLeftOut ? `${side}; ${shownOnly}` : side;
  const { rows } = catalogue.document.head;
  const next = side === null ? '' : writeNextStep(finding, language);
  const points = side !== null || method === shownOnRequest;
  return {
    ...(points && method in examination.maps.methods && { panel: method }),
    title: [methodName(input, method), ...referenceNumbers(method)].join(' '),
    cells: [
      [printable(statement[language]), ...(next === '' ? [] : [`${rows.next}: ${next}`])].join(
        '\n',
      ),
      capitalised(told ?? (isOutside ? notStated : shown)),
    ],
  };
}

export function methodName({ catalogue }: SectionInput, method: string): string {
  return capitalised(nameIn(catalogue.findings.methods, method, printable(method, 60)));
}

/** Numbers in the list of references, such as `[11]`. */
export function referenceNumbers(method: string): readonly string[] {
  const numbered = Object.keys(references);
  return (usesOfMethods[method] ?? []).map((use) => `[${numbered.indexOf(use) + 1}]`);
}

/** The side that the finding supports, in words; null if it supports neither. */
function writeSide(
  { catalogue: { strength: words } }: Pick<SectionInput, 'catalogue'>,
  { method, speaksFor, strength }: WordedFinding,
): string | null {
  if (strength === 'none' || speaksFor === 'neither') return null;
  const isOfPart = localisingMethods.has(method);
  const side = speaksFor === 'fake' && isOfPart ? 'changed' : speaksFor;
  return words.evaluation.sides[side](words.adverbs[strength]);
}

export const localisingMethods: ReadonlySet<string> = new Set([
  ...localisingDetectors.map(({ method }) => method),
  ...retiredMethods,
]);

export function heatmapBlocks(input: SectionInput): readonly Block[] {
  const { item, labels, examination, catalogue } = input;
  const { intro, asStored } = catalogue.measurements.heatmap;
  const places = markedPlaces(examination).map(({ region }) => region);
  // The map that can show a change comes first: it is drawn next to the picture.
  const shown = (['fake', 'anomaly', 'real', 'compression'] as const).filter(
    (map) => map !== 'anomaly' || !readMap(examination.maps, map).isEven,
  );
  return [
    paragraph(
      [intro.scale, intro.caution, ...(places.length === 0 ? [] : [labels.outline])].join(' '),
    ),
    ...only(item.heatmapOrientation === 'stored', paragraph(asStored)),
    note(labels.heatmap),
    { kind: 'heatmaps', maps: shown.map((map) => toBlock(input, map)), places },
  ];
}

function toBlock(input: SectionInput, map: MapName): HeatmapBlock {
  return {
    map,
    title: input.labels.maps[map],
    headline: writeGlance(input, map),
    text: describeMap(input, map),
  };
}

/** Traces of a camera and of compression are found everywhere, so these two maps never point to a place. */
function writeGlance({ examination, labels, catalogue }: SectionInput, map: MapName): string {
  if (map === 'real' || map === 'compression') return '';
  const { glance } = labels;
  const isMarked = markedPlaces(examination).length > 0;
  if (map === 'fake' && isMarked) return glance.marked;
  if (examination.decision.resultClass === 'abstain') return glance.meaningless;
  const { isEven, mean, highest, place } = readMap(examination.maps, map);
  if (highest < lookFrom) return glance.even;
  if (isEven) return mean < lookFrom ? glance.even : glance.everywhere;
  return glance.highest(catalogue.findings.places[place]);
}

/** The middle of the scale: lower values are closer to no trace. */
const lookFrom = 0.5;
