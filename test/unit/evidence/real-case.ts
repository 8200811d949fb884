/** A drawn picture, examined and rendered by the real model. */

import { defaultSeed } from '../../../src/engine/result.ts';
import type { BundleCase } from '../../../src/evidence/case.ts';
import { defaultLimits } from '../../../src/image/limits.ts';
import { createLab } from '../../../src/lab/create-lab.ts';
import { languages } from '../../../src/report/language.ts';
import { sceneJpeg } from '../../fixtures/pictures.ts';

export async function realCase(): Promise<BundleCase> {
  const lab = createLab({ poolSize: 1 });
  try {
    const original = await sceneJpeg({ width: 160, height: 150, seed: 5, orientation: 6 });
    // The name is noted: it says something else than the content.
    const openedAs = 'scene.png';
    const source = { bytes: original, name: openedAs };
    const options = { model: null, decisionStrategy: 'relaxed', seed: defaultSeed } as const;
    const examination = await lab.examine({ source, options });
    const item = { name: openedAs, analysisId: null, examinedAt: new Date('2026-03-01T12:00:00Z') };
    const { storedWidth: width, storedHeight: height } = examination.facts;
    const heatmapSize = { width, height };
    const rendering = await lab.render({
      source,
      examination,
      item,
      languages,
      heatmapSize,
      withRawMaps: true,
    });
    const trustList = null;
    return {
      original,
      openedAs,
      examination,
      item,
      heatmapSize,
      limits: defaultLimits,
      trustList,
      rendering,
    };
  } finally {
    await lab.close();
  }
}
