import { expect, test } from 'vitest';
import type { Examination } from '../../../src/detectors/result.ts';
import type { ContentCredentials } from '../../../src/contract/provenance.ts';
import { writeEvidence } from '../../../src/present/evidence.ts';
import { altered, credentials as notVouchedFor, makeExamination } from './examination.ts';

const credentials: ContentCredentials = {
  ...notVouchedFor,
  trust: 'trusted',
  trustListSha256: 'ab'.repeat(32),
};

function idsOf(examination: Examination): readonly string[] {
  return writeEvidence(examination).notChecked.map(({ id }) => id);
}

function aboutSigners(given: ContentCredentials | null): readonly string[] {
  const examination = altered(makeExamination(), { provenance: { credentials: given } });
  return idsOf(examination).filter((id) => /signer|remote/.test(id));
}

function aboutEdits(examination: Examination): readonly string[] {
  return idsOf(examination).filter((id) => /edits/.test(id));
}

test('the list always includes invisible watermarks, edits, the camera, the content and the web', () => {
  const abstained = makeExamination({ resultClass: 'abstain', reasons: ['too_small'] });

  const inPixels = ['invisible_watermarks', 'small_edits', 'camera_reference'];
  const others = ['recapture', 'content', 'earlier_publication'];
  expect(idsOf(abstained)).toEqual(expect.arrayContaining([...inPixels, ...others]));
});

test('the signer is listed only if there is one', () => {
  const unknown = { ...credentials, trust: 'not-checked' } as const;
  const unreadable = { ...unknown, integrity: 'unreadable' } as const;

  expect(aboutSigners(null)).toEqual(['remote_credentials']);
  expect(aboutSigners(unreadable)).toEqual([]);
  expect(aboutSigners(credentials)).toEqual(['signer_revocation']);
  expect(aboutSigners(unknown)).toEqual(['signer_trust', 'signer_revocation']);
});

test('the stability test is listed only if a verdict from traces did not undergo it', () => {
  const stability = { holds: true, trials: [] };
  const examination = makeExamination();

  expect(idsOf(examination)).toContain('stability');
  expect(idsOf({ ...examination, stability })).not.toContain('stability');
  const declared = altered(examination, { decision: { basis: 'declaration' } });
  expect(idsOf(declared)).not.toContain('stability');
  expect(idsOf(makeExamination({ resultClass: 'uncertain' }))).not.toContain('stability');
});

test('edits that may remain unseen are listed, and for earlier versions that none were sought', () => {
  const examination = makeExamination();
  const lost = makeExamination({ resultClass: 'abstain', reasons: ['too_compressed'] });

  expect(aboutEdits(examination)).toEqual(['small_edits']);
  expect(aboutEdits(lost)).toEqual(['small_edits', 'erased_edits']);
  expect(aboutEdits({ ...examination, manipulation: null })).toEqual(['local_edits']);
});

test('claims about device, time and place are listed only if the file makes any', () => {
  const examination = makeExamination();
  const none = { cameraMake: null, cameraModel: null, takenAt: null, hasGps: false };
  const metadata = { ...examination.facts.metadata, ...none };

  expect(idsOf(examination)).toContain('metadata_claims');
  expect(idsOf(altered(examination, { facts: { metadata } }))).not.toContain('metadata_claims');
});
