/** All the pictures in a case, starting with those that need attention, and a one-sentence summary. */

import type { SeenBefore } from '../contract/seen-before.ts';
import { type Language, type Status, resultClasses } from '../contract/vocabulary.ts';
import { isBlindToChanges } from './error-rate.ts';
import type { Failure } from './failures.ts';
import { kept } from './text.ts';
import type { CaseData } from './report-item.ts';
import { headsSuspicion, type Result } from './result.ts';
import { isCopy } from './findings.ts';
import type { Section } from './sections/blocks.ts';
import { wordsIn } from './wording/catalogue.ts';

/** The kinds, from those that need attention to those that can wait. */
const caseKinds = [
  'failed',
  'notStarted',
  'generated',
  'changed',
  'seen',
  'suspected',
  'undecided',
  'unjudged',
  'atWork',
  'changesOpen',
  'noSign',
] as const;

export interface CaseMember {
  readonly status: Status;
  /** False while its upload is not finished, which may be for ever. */
  readonly isStarted: boolean;
  /** As the API returns it; null while there is no result. */
  readonly result: {
    readonly resultClass: number;
    readonly resultSubClasses: readonly number[];
  } | null;
  /** The same result, limited to what its tier shows. */
  readonly answer: Result | null;
  readonly projectId: string | null;
  readonly seenBefore: readonly Pick<SeenBefore, 'projectId' | 'reasons'>[];
}

export interface CasePicture extends CaseMember {
  readonly analysisId: string;
  readonly name: string;
  readonly failure: Failure | null;
  readonly seenBefore: readonly SeenBefore[];
  /** A small JPEG; null if there is none. */
  readonly thumbnail: Uint8Array | null;
  /** Null if the picture has no forensic report. */
  readonly page: PicturePage | null;
}

export interface PicturePage {
  readonly jpeg: Uint8Array;
  /** Pixels of the upright picture. */
  readonly size: { readonly width: number; readonly height: number };
  readonly sections: Readonly<Partial<Record<Language, Section>>>;
}

export interface CaseReport {
  readonly name: string;
  readonly pictures: readonly CasePicture[];
  /** How many of its pictures came from one camera, if the files say so; otherwise 0. */
  readonly ofOneCamera: number;
  readonly madeAt: Date;
  /** SHA-256 of the list in its bundle; null outside a bundle. */
  readonly listSha256: string | null;
  readonly caseData: CaseData;
}

/** Sorts pictures that need attention to the front; of equally urgent ones, those seen elsewhere. */
export function inCaseOrder<T>(all: readonly T[], toMember: (one: T) => CaseMember): readonly T[] {
  const rankOf = (one: T) => {
    const member = toMember(one);
    const own = caseKinds.indexOf(resultKindOf(member));
    if (!elsewhere(member).some(isCopy)) return own + 1;
    // Less than one, so that it only decides between pictures seen elsewhere.
    return Math.min(own, caseKinds.indexOf('seen')) + own / caseKinds.length;
  };
  return all.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function resultKindOf(member: CaseMember): (typeof caseKinds)[number] {
  const { status, isStarted, result, answer } = member;
  if (status === 'failed') return 'failed';
  if (status !== 'completed' || result === null) return isStarted ? 'atWork' : 'notStarted';
  // Subclass 2: changed in a part.
  const fake = result.resultSubClasses.includes(2) ? 'changed' : 'generated';
  const uncertain = answer !== null && headsSuspicion(answer) ? 'suspected' : 'undecided';
  // Only signs of generation are ruled out if changes are hinted at or cannot be judged.
  const isOpen = answer !== null && (answer.isChangeHinted || isBlindToChanges(answer));
  const real = isOpen ? 'changesOpen' : 'noSign';
  const kinds = { real, fake, abstain: 'unjudged', uncertain } as const;
  const resultClass = resultClasses[result.resultClass];
  if (resultClass === undefined) throw new RangeError('a result has an unknown class');
  return kinds[resultClass];
}

/** The pictures in another case or in none that show the same, or whose files have something in common with its file. */
function elsewhere({ seenBefore, projectId }: CaseMember) {
  return seenBefore.filter((other) => other.projectId !== projectId);
}

/** `12 pictures: 1 with signs of generation, 2 with signs of a change, 9 with no sign found; 3 from one camera, 1 seen outside this case.` */
export function writeCaseSummary(
  members: readonly CaseMember[],
  language: Language,
  ofOneCamera = 0,
): string {
  const { cases } = wordsIn(language);
  const count = (isIt: (member: CaseMember) => boolean) => members.filter(isIt).length;
  const results = caseKinds.map((kind) => {
    return [count((member) => resultKindOf(member) === kind), cases.kinds[kind]] as const;
  });
  const beside = told([
    [ofOneCamera, cases.oneCamera],
    [count((member) => elsewhere(member).some(isCopy)), cases.kinds.seen],
    [count((member) => !elsewhere(member).every(isCopy)), cases.linked],
  ]);
  return `${kept([`${cases.pictures(members.length)}: ${told(results)}`, beside]).join('; ')}.`;
}

function told(counts: readonly (readonly [count: number, words: string])[]): string {
  return kept(counts.map(([count, words]) => count > 0 && `${count} ${words}`)).join(', ');
}
