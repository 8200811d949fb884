/** What an examination could not look at. Silence about these must not be read as an all-clear. */

import type { Bilingual, NotCheckedId, ReasonCode } from '../contract/vocabulary.ts';
import type { Examined } from '../engine/result.ts';
import { inBoth } from './report-item.ts';
import { wordsIn } from './wording/catalogue.ts';

interface NotChecked {
  readonly id: NotCheckedId;
  readonly statement: Bilingual;
}

export function listNotChecked(examined: Examined): readonly NotChecked[] {
  return gaps
    .filter(({ applies }) => applies(examined))
    .map(({ id }) => ({
      id,
      statement: inBoth((language) => wordsIn(language).limits.notChecked[id]),
    }));
}

interface Gap {
  readonly id: NotCheckedId;
  readonly applies: (examined: Examined) => boolean;
}

const always = () => true;

const lostTraces: readonly ReasonCode[] = ['too_compressed', 'no_usable_trace'];

/** Whether the traces of the whole picture led to that, and nothing was found in spite of it. */
function hasLostTraces({ byTraces, reasons, resultClass }: Examined['decision']): boolean {
  const found = byTraces?.reasons ?? reasons;
  return resultClass !== 'fake' && found.some((reason) => lostTraces.includes(reason));
}

const gaps: readonly Gap[] = [
  { id: 'invisible_watermarks', applies: always },
  {
    id: 'local_edits',
    applies: ({ manipulation }) => manipulation === null,
  },
  {
    id: 'small_edits',
    applies: ({ manipulation }) => manipulation !== null,
  },
  {
    id: 'erased_edits',
    applies: ({ manipulation, decision }) => manipulation !== null && hasLostTraces(decision),
  },
  { id: 'camera_reference', applies: always },
  { id: 'recapture', applies: always },
  { id: 'content', applies: always },
  { id: 'earlier_publication', applies: always },
  {
    id: 'metadata_claims',
    applies: ({ facts: { metadata } }) =>
      [metadata.cameraMake, metadata.cameraModel, metadata.takenAt].some((it) => it !== null) ||
      metadata.hasGps,
  },
  {
    id: 'remote_credentials',
    applies: ({ provenance }) => provenance.credentials === null,
  },
  {
    id: 'signer_trust',
    applies: ({ provenance: { credentials } }) =>
      credentials !== null &&
      credentials.integrity !== 'unreadable' &&
      credentials.trust === 'not-checked',
  },
  {
    id: 'signer_revocation',
    applies: ({ provenance: { credentials } }) =>
      credentials !== null && credentials.integrity !== 'unreadable',
  },
  {
    id: 'stability',
    applies: ({ decision, stability }) =>
      stability === null &&
      decision.basis === 'traces' &&
      (decision.resultClass === 'real' || decision.resultClass === 'fake'),
  },
];
