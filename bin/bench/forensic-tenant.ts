/** A tenant whose analyses are all complete, with heatmaps and reports; the objects themselves do not exist. */

import { createTenants, type Tenant, updateTenant } from '../../src/service/tenants/tenants.ts';
import { operator } from '../../src/service/audit/entry.ts';
import { type Db, newId, transact } from '../../src/ports/db/database.ts';
import { analyses, examinations } from '../../src/ports/db/schema.ts';
import type { SealedConfigs, StorageConfig } from '../../src/ports/storage/configs.ts';

interface Parts {
  readonly db: Db;
  readonly configs: SealedConfigs;
  readonly now: () => Date;
}

interface Wanted {
  readonly name: string;
  /** Null for the service's own store. */
  readonly config: StorageConfig | null;
  readonly listed: number;
}

export async function addForensicTenant(
  { db, configs, now }: Parts,
  { name, config, listed }: Wanted,
): Promise<Tenant> {
  const { id } = await createTenants({ db, now }).create({ name });
  return transact(db, async (tx) => {
    const storageConfigId = config === null ? null : await configs.save(tx, id, config);
    const storageType = config?.type ?? 's3';
    for (let n = 0; n < listed; n++) {
      const row = analysisOf(id, now());
      await tx
        .insert(analyses)
        .values({ ...row, storageType, storageConfigId })
        .run();
      await tx.insert(examinations).values(examinationOf(row.id, now())).run();
    }
    return updateTenant(tx, { id, change: { storageConfigId }, at: now(), by: operator });
  });
}

export function analysisOf(tenantId: string, at: Date) {
  const id = newId(at);
  const name = 'A photograph';
  return {
    id,
    tenantId,
    name,
    nameFolded: name.toLowerCase(),
    comment: '',
    commentFolded: '',
    tags: [],
    format: 'jpg',
    width: 1600,
    height: 1200,
    filename: 'photo.jpg',
    inputKey: `analyses/${id}/input.jpg`,
    model: 'trace-3',
    modelVersion: '1.0.0',
    decisionStrategy: 'default',
    tier: 'forensicReporting',
    seed: 1337,
    status: 'completed',
    statusMessage: 'The analysis is complete.',
    retryCount: 0,
    createdAt: at,
  } as const;
}

function examinationOf(analysisId: string, examinedAt: Date) {
  const folder = `analyses/${analysisId}/0123456789abcdef`;
  const heatmap = (name: string) => `${folder}/heatmap-${name}.png`;
  const map = Buffer.alloc(2 * 75 * 100);
  const classes = { real: 0.1, fake: 0.9, compression: 0.3 };
  return {
    analysisId,
    resultClass: 1,
    resultSubClasses: [0],
    examinedAt,
    scores: JSON.stringify({
      predictions: classes,
      classUncertainties: classes,
      classSimilarities: { realCompressed: 0.2, fakeCompressed: 0.8 },
      anomaly: { score: 0.4, numCluster: 2, giniCoeff: 0.1 },
    }),
    rendered: JSON.stringify({
      heatmapKeys: {
        real: heatmap('real'),
        fake: heatmap('fake'),
        compression: heatmap('compression'),
        anomaly: heatmap('anomaly'),
      },
      reports: { en: reportIn(folder, 'en'), de: reportIn(folder, 'de') },
      sha256: {},
    }),
    examination: '{}',
    realMap: map,
    fakeMap: map,
    compressionMap: map,
    anomalyMap: map,
  };
}

/** Texts about as long as those of a real report. */
function reportIn(folder: string, language: string) {
  const heatmap = { real: text(200), fake: text(200), compressed: text(200), anomaly: text(200) };
  const texts = { summary: text(600), forensic: text(1500), heatmapIntro: text(300), heatmap };
  return {
    pdfKey: `${folder}/report-${language}.pdf`,
    texts: { ...texts, conclusion: text(600) },
  };
}

function text(characters: number): string {
  return 'Measured, and said. '.repeat(characters / 20);
}
