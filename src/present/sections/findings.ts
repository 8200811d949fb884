/** Every method once: what it found, how strongly that speaks, and where it points. */

import { retiredMethods } from '../../detectors/list.ts';
import type { WordedFinding } from '../findings.ts';
import { capitalised, nameIn, printable } from '../printable.ts';
import type { ReportItem } from '../report-item.ts';
import { references } from '../wording/references.ts';
import {
  type Block,
  type FindingBlock,
  heading,
  note,
  only,
  paragraph,
  type SectionInput,
} from './blocks.ts';
import { strengthAdverb } from './evaluation.ts';

/** Examiners know it, but it takes no part in any verdict: shown to those who ask for it. */
const shownOnRequest = 'error-level';

/** They read what the file says about itself, which the section on provenance lists in full. */
const toldInProvenance: ReadonlySet<string> = new Set([
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
    .filter((finding) => !toldInProvenance.has(finding.method) || writeSide(input, finding) !== null)
    .map((finding) => toRow(input, finding, isOutside));
  const silent = evidence.skipped
    .filter(({ method }) => !toldInProvenance.has(method))
    .map(({ method, reason }) => ({
      cells: [methodName(input, method), printable(reason[language], 600)],
    }));
  const silentGrid: Block = {
    kind: 'grid',
    columns: [
      { title: '', share: 0.25 },
      { title: '', share: 0.75 },
    ],
    rows: silent,
  };
  return [
    ...only(isOutside, note(outside)),
    note(elsewhere(labels.sections.provenance)),
    ...only(
      rows.some(({ panel }) => panel !== null),
      note(panels),
    ),
    ...only(rows.length > 0, { kind: 'findings', columns, rows }),
    ...only(!isOutside && !doesAnySpeak, paragraph(catalogue.strength.evaluation.noneSpeaks)),
    ...only(silent.length > 0, heading(labels.withoutFinding), silentGrid),
  ];
}

/** Whether a report shows this method at all. */
export function isShown(method: string, { withErrorLevel }: ReportItem): boolean {
  return method !== shownOnRequest || withErrorLevel === true;
}

function toRow(input: SectionInput, finding: WordedFinding, isOutside: boolean): FindingBlock {
  const { language, labels, examination, catalogue } = input;
  const { method, statement } = finding;
  const side = isOutside ? null : writeSide(input, finding);
  const { none, notStated } = labels.findings;
  const { shownOnly } = catalogue.measurements;
  const shown = method === shownOnRequest ? shownOnly : none;
  const told = side !== null && isLeftOut(input, finding) ? `${side}; ${shownOnly}` : side;
  const points = side !== null || method === shownOnRequest;
  return {
    panel: points && method in examination.maps.methods ? method : null,
    title: [methodName(input, method), ...referenceNumbers(method)].join(' '),
    text: printable(statement[language], 1200),
    strength: capitalised(told ?? (isOutside ? notStated : shown)),
  };
}

/** It points to a change, and the methods together gave it no weight. */
function isLeftOut({ examination }: SectionInput, { method }: WordedFinding): boolean {
  const isOnlyShown = method === shownOnRequest || retiredMethods.includes(method);
  return isOnlyShown && examination.manipulation?.methods.includes(method) !== true;
}

function methodName({ catalogue }: SectionInput, method: string): string {
  return capitalised(nameIn(catalogue.findings.methods, method, printable(method, 60)));
}

/** `[11]`, the numbers in the list of references. */
export function referenceNumbers(method: string): readonly string[] {
  return references.flatMap(({ methods = [] }, at) =>
    methods.includes(method) ? [`[${at + 1}]`] : [],
  );
}

/** In words, or null for a finding that supports neither side. */
export function writeSide(
  { catalogue }: Pick<SectionInput, 'catalogue'>,
  { speaksFor, strength }: WordedFinding,
): string | null {
  const adverb = strengthAdverb(strength, catalogue);
  if (adverb === null || speaksFor === 'neither') return null;
  return catalogue.strength.evaluation.sides[speaksFor](adverb);
}
