/**
 * A drawn picture, examined and rendered by the real model, with everything an item can have:
 * anything that reproduction is not given, it cannot render.
 */

import sharp from 'sharp';
import { defaultSeed, languages } from '../../../src/contract/vocabulary.ts';
import type { BundleCase } from '../../../src/evidence/bundle-format.ts';
import { defaultLimits } from '../../../src/image/picture.ts';
import type { Pool } from '../../../src/examiner/pool.ts';
import type { ReportItem } from '../../../src/present/report-item.ts';
import { createSandbox } from '../../../src/examiner/sandbox.ts';
import { createAuthority, withCredentials } from '../../fixtures/content-credentials.ts';
import { sceneJpeg } from '../../fixtures/pictures.ts';
import { makeExamination } from '../present/examination.ts';

const examinedAt = new Date('2026-03-01T12:00:00Z');
const options = { model: null, decisionStrategy: 'relaxed', seed: defaultSeed } as const;

export async function realCase(children: Pool): Promise<BundleCase> {
  const authority = await createAuthority('Authority of Tests');
  // In the form that `readTrustList` returns.
  const trustList = `${authority.certificate.trim()}\n`;
  const sandbox = createSandbox({ children, trustList });
  const drawn = await sceneJpeg({ width: 160, height: 150, seed: 5 });
  const turned = sharp(drawn).withMetadata({ orientation: 6 });
  // In the future at the time of the examination, but not when it is reproduced.
  const tags = { DateTime: '2026:03:04 12:00:00', ImageDescription: 'too long. '.repeat(201) };
  const dated = turned.withExifMerge({ IFD0: tags });
  const signer = await authority.issue('A camera');
  const original = await withCredentials(await dated.jpeg().toBuffer(), {
    signer,
    actions: [{ action: 'c2pa.edited' }],
  });
  // The name contradicts the content, which adds a note.
  const openedAs = 'scene.png';
  const source = { bytes: original, name: openedAs };
  const examination = await sandbox.examine({ source, options, now: examinedAt });
  const item = itemOf(examination, drawn);
  const { storedWidth: width, storedHeight: height } = examination.facts;
  const given = { original, openedAs, examination, item, heatmapSize: { width, height } };
  const rendering = await sandbox.render({ source, ...given, languages, withHtml: true });
  return { ...given, limits: defaultLimits, trustList, rendering };
}

function itemOf({ facts, model }: BundleCase['examination'], drawn: Buffer): ReportItem {
  const hashes = [{ name: 'original', sha256: facts.sha256 }];
  return {
    name: 'scene.png',
    analysisId: '65f000000000000000000001',
    examinedAt,
    isUploadReplaced: true,
    retries: 1,
    withMetadata: true,
    validation: {
      id: '65f000000000000000000002',
      createdAt: new Date('2026-02-01T00:00:00Z'),
      model,
      conditions: makeExamination().measured,
    },
    seenBefore: [
      {
        id: '65f000000000000000000003',
        name: 'earlier.jpg',
        projectId: null,
        createdDate: '2026-01-02T00:00:00.000Z',
        reasons: ['picture'],
        alignment: { isMirrored: false, scale: 1, left: 0, top: 0 },
        likeness: 0.9,
      },
    ],
    beside: [{ id: '65f000000000000000000003', jpeg: drawn.toString('base64'), differing: 1 }],
    custody: [{ at: examinedAt, actor: 'service', event: 'examined', hashes }],
  };
}
