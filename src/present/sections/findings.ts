/** Every method once: what it found, how strong that is, and where; then the picture beside its heatmaps. */

import type { MapName } from '../../detectors/result.ts';
import { localisingDetectors, retiredMethods } from '../../detectors/list.ts';
import { methodNameIn, type WordedFinding, writeNextStep } from '../findings.ts';
import { capitalised, printable } from '../text.ts';
import type { ReportItem } from '../report-item.ts';
import { describeMap, readMap } from '../report-texts.ts';
import { markedPlaces } from '../result.ts';
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

export function isShown(method: string, { withErrorLevel }: ReportItem): boolean {
  return method !== shownOnRequest || withErrorLevel === true;
}

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
  return capitalised(methodNameIn(catalogue.findings, method));
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

// The sources of the methods in a report, which are not translated.

/** In the order in which they are numbered. */
export const references = {
  propositions:
    'European Network of Forensic Science Institutes: ENFSI Guideline for Evaluative Reporting in Forensic Science. Version 3.0, 2015.',
  uncertainty:
    'Y. Gal, Z. Ghahramani: Dropout as a Bayesian Approximation: Representing Model Uncertainty in Deep Learning. Proceedings of the 33rd International Conference on Machine Learning, PMLR 48, 2016, pp. 1050–1059.',
  calibration:
    'J. C. Platt: Probabilistic Outputs for Support Vector Machines and Comparisons to Regularized Likelihood Methods. In: Advances in Large Margin Classifiers, MIT Press, 1999, pp. 61–74.',
  anomaly:
    'K. Lee, K. Lee, H. Lee, J. Shin: A Simple Unified Framework for Detecting Out-of-Distribution Samples and Adversarial Attacks. Advances in Neural Information Processing Systems 31, 2018.',
  errorRates:
    'C. J. Clopper, E. S. Pearson: The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial. Biometrika 26(4), 1934, pp. 404–413.',
  auc: 'B. Efron: Bootstrap Methods: Another Look at the Jackknife. The Annals of Statistics 7(1), 1979, pp. 1–26.',
  jpeg: 'ITU-T Recommendation T.81 (1992) | ISO/IEC 10918-1:1994: Digital compression and coding of continuous-tone still images.',
  quantisationTables:
    'J. D. Kornblum: Using JPEG quantization tables to identify imagery processed by software. Digital Investigation 5 (Supplement), 2008, pp. S21–S25.',
  localisationNetwork:
    'F. Guillaro, D. Cozzolino, A. Sud, N. Dufour, L. Verdoliva: TruFor: Leveraging All-Round Clues for Trustworthy Image Forgery Detection and Localization. IEEE/CVF Conference on Computer Vision and Pattern Recognition, 2023.',
  doubleQuantisation:
    'T. Bianchi, A. Piva: Image Forgery Localization via Block-Grained Analysis of JPEG Artifacts. IEEE Transactions on Information Forensics and Security 7(3), 2012, pp. 1003–1017.',
  copies:
    'D. Cozzolino, G. Poggi, L. Verdoliva: Efficient Dense-Field Copy–Move Forgery Detection. IEEE Transactions on Information Forensics and Security 10(11), 2015, pp. 2284–2297.',
  thumbnail:
    'E. Kee, H. Farid: Digital image authentication from thumbnails. Proceedings of SPIE 7541, Media Forensics and Security II, 2010.',
  png: 'World Wide Web Consortium: Portable Network Graphics (PNG) Specification.',
  exif: 'Camera & Imaging Products Association: Exchangeable image file format for digital still cameras (Exif), CIPA DC-008.',
  xmp: 'ISO 16684-1: Extensible metadata platform (XMP), Part 1.',
  declaredOrigin:
    'International Press Telecommunications Council: IPTC Photo Metadata Standard; IPTC NewsCodes, Digital Source Type.',
  contentCredentials:
    'Coalition for Content Provenance and Authenticity: Content Credentials, C2PA Technical Specification.',
  checksums:
    'National Institute of Standards and Technology: Secure Hash Standard (SHS), FIPS PUB 180-4, 2015.',
  signature:
    'S. Josefsson, I. Liusvaara: Edwards-Curve Digital Signature Algorithm (EdDSA), RFC 8032, 2017. A. Rundgren, B. Jordan, S. Erdtman: JSON Canonicalization Scheme (JCS), RFC 8785, 2020.',
  colours: 'B. Ottosson: A perceptual color space for image processing, 2020.',
};

/** What the methods are based on; their findings cite it by number. */
const usesOfMethods: Readonly<Record<string, readonly (keyof typeof references)[]>> = {
  'compression-tables': ['jpeg', 'quantisationTables'],
  'localisation-network': ['localisationNetwork'],
  'double-quantisation': ['doubleQuantisation'],
  'copy-move': ['copies'],
  thumbnail: ['thumbnail'],
  'file-consistency': ['thumbnail', 'exif'],
  'named-software': ['exif', 'xmp'],
  'declared-origin': ['declaredOrigin'],
  'content-credentials': ['contentCredentials'],
};
