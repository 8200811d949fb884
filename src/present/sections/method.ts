/** How the figures were obtained: procedure, model, settings and versions. */

import type { ModelIdentity } from '../../engine/result.ts';
import { writeNotes } from '../notes.ts';
import { writeFigures } from '../presentation.ts';
import { capitalised, nameIn, printable } from '../printable.ts';
import {
  type Block,
  heading,
  only,
  paragraph,
  plainGrid,
  type Row,
  type SectionInput,
} from './blocks.ts';
import { isShown, referenceNumbers } from './findings.ts';

/** Only models with a vision transformer have this file. */
const transformerFile = 'transformer.onnx';
/** Models that also read views of the whole picture, which examinations do not record. */
const modelsWithViews: ReadonlySet<string> = new Set(['trace-2', 'trace-3']);

export function methodBlocks(input: SectionInput): readonly Block[] {
  const { examination, numbers, catalogue, labels } = input;
  const { model, locator, maps, patchesRead, passes } = examination;
  const { fake, anomaly } = catalogue.measurements.heatmap.changes;
  const { method: words } = catalogue.measurements;
  const steps = words.steps({
    model: wordModel(model),
    cell: `${numbers.count(maps.cellPx)} × ${numbers.count(maps.cellPx)}`,
    patches: numbers.count(patchesRead),
    passes: numbers.count(passes),
  });
  return [
    paragraph(steps),
    ...only(modelsWithViews.has(model.id), paragraph(words.views)),
    ...only(transformerFile in model.files, paragraph(words.transformer)),
    ...(locator ? [paragraph(words.changes(wordModel(locator)))] : []),
    ...only(examination.manipulation !== null, {
      kind: 'list',
      items: [`${labels.maps.fake}: ${fake}`, `${labels.maps.anomaly}: ${anomaly}`],
    }),
    { kind: 'table', rows: methodRows(input) },
    ...sourceBlocks(input),
  ];
}

function sourceBlocks({ evidence, catalogue, item }: SectionInput): readonly Block[] {
  const { methods, sources } = catalogue.findings;
  // Methods that are based on a reference cite its number instead.
  const own = evidence.findings.filter(
    ({ method }) => referenceNumbers(method).length === 0 && isShown(method, item),
  );
  const rows = own.map(({ method, source }) => ({
    label: capitalised(nameIn(methods, method, printable(method, 60))),
    value: nameIn(sources, source, printable(source, 400)),
  }));
  const title = heading(catalogue.measurements.method.sourcesTitle);
  return only(rows.length > 0, title, plainGrid(rows));
}

function methodRows(input: SectionInput): readonly Row[] {
  const { examination, item, labels, catalogue, numbers, language } = input;
  const { rows } = labels;
  const { model, locator, options, passes, patchesRead, environment, facts } = examination;
  const {
    conversions,
    noConversions,
    retriesUnknown,
    locator: second,
  } = catalogue.measurements.method;
  const retries = item.retries === undefined ? retriesUnknown : numbers.count(item.retries);
  const machine = Object.entries(environment).map(
    ([name, value]) =>
      `${nameIn(labels.environment, name, printable(name, 40))} ${printable(value)}`,
  );
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
    ...(locator ? modelRows(second, locator, (name) => `${locator.id}/${name}`) : []),
    { label: rows.strategy, value: catalogue.verdict.strategies[options.decisionStrategy] },
    thresholdRow(input),
    // Without digit groups, so that it can be typed in as it is.
    { label: rows.seed, value: String(options.seed) },
    { label: rows.passes, value: numbers.count(passes) },
    { label: rows.patches, value: numbers.count(patchesRead) },
    { label: conversions, value: writeNotes(facts, language).join('; ') || noConversions },
    { label: rows.retries, value: retries },
    { label: rows.environment, value: machine.join('; ') },
  ];
}

function thresholdRow({ examination, labels, numbers, language, result }: SectionInput): Row {
  const { generated, changed } = writeFigures(result, language);
  // Rounded as on the first page.
  const shown: Readonly<Record<string, string | undefined>> = {
    realMax: generated?.limits?.[0],
    fakeMin: generated?.limits?.[1],
    suspectedMin: changed?.limits?.[0],
    manipulatedMin: changed?.limits?.[1],
  };
  const limits = Object.entries(examination.decision.thresholds).map(([name, value]) => {
    const limit = shown[name] ?? numbers.score(value);
    return `${limit} ${nameIn(labels.thresholds, name, printable(name, 40))}`;
  });
  return { label: labels.rows.thresholds, value: limits.join('\n') };
}

function wordModel({ id, version }: ModelIdentity): string {
  return `${printable(id)} ${printable(version)}`;
}
