/** What the figures were obtained with: procedure, model, settings and versions. */

import type { ModelIdentity } from '../../engine/result.ts';
import { type Block, only, paragraph, type Row, type SectionInput } from '../blocks.ts';
import { writeTime } from '../numbers.ts';
import { printable } from '../printable.ts';

/** Models without it have one arm. */
const secondArmFile = 'votes.onnx';

export function methodBlocks(input: SectionInput): readonly Block[] {
  const { examination, numbers, prose } = input;
  const { model, locator, maps, patchesRead, passes } = examination;
  const steps = prose.method.steps({
    model: wordModel(model),
    cell: `${numbers.count(maps.cellPx)} × ${numbers.count(maps.cellPx)}`,
    patches: numbers.count(patchesRead),
    passes: numbers.count(passes),
  });
  return [
    paragraph(steps),
    ...only(secondArmFile in model.files, paragraph(prose.method.secondArm)),
    ...(locator === null ? [] : [paragraph(prose.method.changes(wordModel(locator)))]),
    { kind: 'table', rows: methodRows(input) },
  ];
}

function methodRows({
  examination,
  item,
  labels,
  phrases,
  prose,
  numbers,
}: SectionInput): readonly Row[] {
  const { rows } = labels;
  const { model, locator, options, passes, patchesRead, decision, environment, facts } =
    examination;
  const { conversions, noConversions, retriesUnknown } = prose.method;
  const modelRows = (label: string, given: ModelIdentity, nameOf: (file: string) => string) => [
    { label, value: wordModel(given) },
    ...Object.entries(given.files).map(([name, digest]) => ({
      label: labels.modelFile(printable(nameOf(name), 60)),
      value: printable(digest),
    })),
  ];
  return [
    ...modelRows(rows.model, model, (name) => name),
    // Both models have a manifest.json.
    ...(locator === null
      ? []
      : modelRows(prose.method.locator, locator, (name) => `${locator.id}/${name}`)),
    { label: rows.strategy, value: phrases.strategies[options.decisionStrategy] },
    {
      label: rows.thresholds,
      value: Object.entries(decision.thresholds)
        .map(
          ([name, value]) =>
            `${numbers.plain(value)} ${labels.thresholds[name] ?? printable(name, 40)}`,
        )
        .join('\n'),
    },
    // A seed is an identifier to be typed in again, so it stands without groups.
    { label: rows.seed, value: String(options.seed) },
    { label: rows.passes, value: numbers.count(passes) },
    { label: rows.patches, value: numbers.count(patchesRead) },
    {
      label: conversions,
      value: facts.notes.map((note) => labels.notes[note]).join('; ') || noConversions,
    },
    { label: rows.examinedAt, value: writeTime(item.examinedAt) },
    {
      label: rows.retries,
      value: item.retries === undefined ? retriesUnknown : numbers.count(item.retries),
    },
    {
      label: rows.environment,
      value: Object.entries(environment)
        .map(
          ([name, value]) =>
            `${labels.environment[name] ?? printable(name, 40)} ${printable(value)}`,
        )
        .join('\n'),
    },
  ];
}

function wordModel({ id, version }: ModelIdentity): string {
  return `${printable(id)} ${printable(version)}`;
}
