/** The numeric fields of the contract's `analysis.inferenceStatus.result`. */

import { cpus } from 'node:os';
import type { AnalysisResult } from '../contract/analysis.ts';
import { resultClasses, resultSubClasses, type Tier } from '../contract/vocabulary.ts';
import type { ModelManifest } from '../inference/manifest.ts';
import { packageVersion } from '../version.ts';
import type { Examination, ModelIdentity } from './result.ts';

export type ResultFields = Omit<AnalysisResult, 'heatmaps' | 'report' | 'evidence'>;

/** `forensicReporting` fills every field; under `flagging`, all fields except the classes are null. */
export function toResultFields(
  examination: Pick<
    Examination,
    'decision' | 'predictions' | 'classUncertainties' | 'classSimilarities' | 'anomaly'
  >,
  tier: Tier,
): ResultFields {
  const { decision } = examination;
  const isFull = tier === 'forensicReporting';
  return {
    resultClass: resultClasses.indexOf(decision.resultClass),
    resultSubClasses: decision.resultSubClasses.map((name) => resultSubClasses.indexOf(name)),
    predictions: isFull ? examination.predictions : null,
    classUncertainties: isFull ? examination.classUncertainties : null,
    classSimilarities: isFull ? examination.classSimilarities : null,
    anomaly: isFull ? examination.anomaly : null,
  };
}

/** Identifies a model by name and version, and by the digests of its files. */
export function identifyModel({
  id,
  version,
  files,
}: Pick<ModelManifest, 'id' | 'version' | 'files'>): ModelIdentity {
  const digests = Object.entries(files).map(([name, { sha256 }]) => [name, sha256] as const);
  return { id, version, files: Object.fromEntries(digests) };
}

export function isSameModel(one: ModelIdentity, other: ModelIdentity): boolean {
  const names = Object.keys({ ...one.files, ...other.files });
  const hasSameFiles = names.every((name) => one.files[name] === other.files[name]);
  return one.id === other.id && one.version === other.version && hasSameFiles;
}

export function modelName({ id, version }: Pick<ModelIdentity, 'id' | 'version'>): string {
  return `${id} ${version}`;
}

/** @param versions - by library name: the versions of the libraries that processed the picture. */
export function describeEnvironment(
  versions: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return {
    forensics: packageVersion(),
    node: process.versions.node,
    ...versions,
    platform: `${process.platform}-${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
  };
}
