/** What stands below the picture of one analysis: evidence, values, files. */

import { useState } from 'preact/hooks';
import type { Analysis, StorageUrls } from '../../contract/analysis.ts';
import type { Evidence } from '../../contract/evidence.ts';
import { languages, type Side } from '../../contract/vocabulary.ts';
import { createNumberWriter } from '../../present/numbers.ts';
import { writeOrigin } from '../../present/origin.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { askBytes } from '../api/client.ts';
import { messageOf, useConsole } from '../context.ts';
import { Button, Explain, saveAs } from '../parts/pieces.tsx';
import { mapNames, heatmapUrl } from '../parts/viewer.tsx';

interface EvidenceProps {
  readonly evidence: Evidence;
}

const sideStyles: Readonly<Record<Side, string>> = { fake: 'fake', real: 'real', neither: '' };

export function Findings({ evidence: { findings, skipped } }: EvidenceProps) {
  const { words, language } = useConsole();
  const { analysis: text } = words;
  const { glossary } = wordsIn(language);
  const neutral = findings.filter(({ speaksFor }) => speaksFor === 'neither');
  const speaking = findings.filter((finding) => !neutral.includes(finding));
  return (
    <section class="panel">
      <h2>
        {text.findings}
        <Explain
          term={glossary.terms.likelihoodRatio.term}
          text={wordsIn(language).strength.evaluation.scaleNote}
        />
      </h2>
      {speaking.length === 0 && <p class="soft">{text.noFindings}</p>}
      <FindingList findings={speaking} />
      {neutral.length > 0 && (
        <details>
          <summary>{text.neutral(neutral.length)}</summary>
          <FindingList findings={neutral} />
        </details>
      )}
      {skipped.length > 0 && (
        <details>
          <summary>{text.skipped}</summary>
          <ul class="dots small soft">
            {skipped.map(({ method, reason }) => (
              <li key={method}>{reason[language]}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function FindingList({ findings }: Pick<Evidence, 'findings'>) {
  const { words, language } = useConsole();
  const { analysis: text } = words;
  const { strengths } = wordsIn(language).outcome;
  const { score: written, plain } = createNumberWriter(language);
  return (
    <ol class="plain">
      {findings.map(({ method, speaksFor, strength, score, statement, source, measures }) => (
        <li key={method} class="finding">
          <div class="row">
            <span class={`badge ${sideStyles[speaksFor]}`}>{text.sides[speaksFor]}</span>
            {speaksFor !== 'neither' && <span class="small soft">{strengths[strength]}</span>}
          </div>
          <p>{statement[language]}</p>
          <details class="small soft">
            <summary>
              {text.measures}: {method}, {written(score)}
            </summary>
            <p>
              {text.source}: {source}
            </p>
            <p class="mono">
              {Object.entries(measures)
                .map(([name, value]) => `${name} ${plain(value)}`)
                .join(' · ')}
            </p>
          </details>
        </li>
      ))}
    </ol>
  );
}

export function Origin({ evidence: { provenance } }: EvidenceProps) {
  const { words, language } = useConsole();
  const { analysis: text } = words;
  const { glossary } = wordsIn(language);
  const { declarations, software, history, inconsistencies, credentials } = provenance;
  const isSilent =
    declarations.length + software.length + history.length === 0 && credentials === null;
  return (
    <section class="panel">
      <h2>
        {text.provenance}
        <Explain
          term={glossary.terms.contentCredentials.term}
          text={glossary.terms.contentCredentials.meaning}
        />
      </h2>
      {isSilent ? (
        <p class="soft">{text.noProvenance}</p>
      ) : (
        <ul class="dots">
          {writeOrigin(provenance, language).map((phrase) => (
            <li key={phrase}>
              <bdi>{phrase}</bdi>
            </li>
          ))}
        </ul>
      )}
      {inconsistencies.length > 0 && (
        <div class="stack">
          <h3>{text.inconsistencies}</h3>
          <ul class="dots">
            {inconsistencies.map(({ code, statement }) => (
              <li key={code}>{statement[language]}</li>
            ))}
          </ul>
        </div>
      )}
      {history.length > 0 && (
        <div class="stack">
          <h3>{text.history}</h3>
          <ol class="dots small">
            {history.map((step, at) => (
              <li key={at}>
                <bdi>{[step.action, step.software, step.when].filter(Boolean).join(' · ')}</bdi>
              </li>
            ))}
          </ol>
        </div>
      )}
    </section>
  );
}

export function StabilityPanel({ evidence: { stability } }: EvidenceProps) {
  const { words, language } = useConsole();
  const { analysis: text } = words;
  const { score } = createNumberWriter(language);
  if (stability === null) return null;
  return (
    <section class="panel">
      <h2>{text.stability}</h2>
      <p>{stability.statement[language]}</p>
      <ul class="plain stack small">
        {stability.trials.map(({ change, label, fakeProbability, isFlip }) => (
          <li key={change}>
            <div class="row apart">
              <span>{label[language]}</span>
              <span class={isFlip ? 'badge uncertain' : 'soft'}>
                {score(fakeProbability)} · {isFlip ? text.flips : text.holds}
              </span>
            </div>
            <div class="meter" aria-hidden="true">
              <span style={{ width: `${100 * fakeProbability}%` }} />
            </div>
          </li>
        ))}
      </ul>
      <p class="small soft">{text.probability}</p>
    </section>
  );
}

export function NotChecked({ evidence: { notChecked } }: EvidenceProps) {
  const { words, language } = useConsole();
  if (notChecked.length === 0) return null;
  return (
    <section class="panel">
      <h2>{words.analysis.notChecked}</h2>
      <p class="soft small">{words.analysis.notCheckedHint}</p>
      <ul class="dots">
        {notChecked.map(({ id, statement }) => (
          <li key={id}>{statement[language]}</li>
        ))}
      </ul>
    </section>
  );
}

export function Texts({ analysis }: { readonly analysis: Analysis }) {
  const { words, language } = useConsole();
  const report = analysis.inferenceStatus.result?.report?.[language] ?? null;
  if (report === null) return null;
  const { analysis: text } = words;
  return (
    <section class="panel">
      <h2>{text.summary}</h2>
      <p class="prose">{report.summary}</p>
      <h2>{text.conclusion}</h2>
      <p class="prose">{report.conclusion}</p>
      <details>
        <summary>{text.forensic}</summary>
        <p class="prose">{report.forensic}</p>
      </details>
    </section>
  );
}

export function Values({ analysis }: { readonly analysis: Analysis }) {
  const { words, language } = useConsole();
  const { analysis: text, upload } = words;
  const { fixed } = createNumberWriter(language);
  const { terms } = wordsIn(language).glossary;
  const { input, inferenceStatus } = analysis;
  const { result, processingStartTime: from, processingFinishTime: to } = inferenceStatus;
  const { model, decisionStrategy, seed, tier } = input.options;
  const scores = (['real', 'fake', 'compression'] as const).flatMap((name) => {
    const value = result?.predictions?.[name];
    const spread = result?.classUncertainties?.[name];
    if (value === undefined || spread === undefined) return [];
    return [[text.values2[name], `${fixed(value, 2)} ± ${fixed(spread, 2)}`] as const];
  });
  const similar = result?.classSimilarities;
  const anomaly = result?.anomaly;
  const rows: readonly (readonly [string, string, string?])[] = [
    [text.size, `${input.format.toUpperCase()}, ${input.width} × ${input.height}`],
    [upload.tier, upload.tiers[tier], upload.tierHelp],
    [text.model, `${model} ${inferenceStatus.version}`],
    [text.strategy, decisionStrategy, terms.strategy.meaning],
    [text.seed, String(seed), terms.seed.meaning],
    ...(from === null || to === null
      ? []
      : [
          [
            text.duration,
            text.seconds(fixed((Date.parse(to) - Date.parse(from)) / 1000, 1)),
          ] as const,
        ]),
    ...scores,
    ...(similar == null
      ? []
      : [
          [text.values2.similarReal, fixed(similar.realCompressed, 2)] as const,
          [text.values2.similarFake, fixed(similar.fakeCompressed, 2)] as const,
        ]),
    ...(anomaly?.score == null
      ? []
      : [
          [text.values2.anomaly, fixed(anomaly.score, 2), terms.anomalyScore.meaning] as const,
          [text.values2.clusters, String(anomaly.numCluster ?? 0)] as const,
          [text.values2.gini, fixed(anomaly.giniCoeff ?? 0, 2), terms.gini.meaning] as const,
        ]),
  ];
  return (
    <section class="panel">
      <h2>{text.values}</h2>
      <dl class="facts">
        {rows.map(([label, value, help]) => (
          <>
            <dt key={label}>
              {label}
              {help !== undefined && <Explain term={label} text={help} />}
            </dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

export function Files({ analysis }: { readonly analysis: Analysis }) {
  const { words, tenantName, toast } = useConsole();
  const { analysis: text } = words;
  const [isBusy, setBusy] = useState(false);
  const { result, status } = analysis.inferenceStatus;
  const heatmaps = result?.heatmaps ?? null;
  const save = async (name: string, load: () => Promise<Blob>): Promise<void> => {
    setBusy(true);
    try {
      saveAs(name, await load());
    } catch (failure) {
      toast({ text: messageOf(failure, words) });
    }
    setBusy(false);
  };
  const { id } = analysis;
  return (
    <section class="panel">
      <h2>{text.files}</h2>
      <ul class="dots">
        {languages.map((each) => {
          const place = result?.report?.[each]?.pdfStorageUrls;
          return place === undefined ? null : (
            <li key={each}>
              <FileLink place={place} name={text.pdf[each]} />
            </li>
          );
        })}
        {heatmaps !== null &&
          mapNames.map((map) => (
            <li key={map}>
              <a href={heatmapUrl(heatmaps, map)} target="_blank" rel="noreferrer">
                {text.heatmapFile(text.maps[map])}
              </a>
            </li>
          ))}
        {status === 'completed' && (
          <li>
            <FileLink place={analysis.input.storageUrls} name={text.original} />
          </li>
        )}
      </ul>
      <div class="row">
        {result?.report != null &&
          languages.map((language) => (
            <button
              key={language}
              type="button"
              class="button"
              disabled={isBusy}
              onClick={() =>
                void save(`report-${id}-${language}.html`, () =>
                  askBytes('/v1/analysis/report', { query: { tenantName, id, language } }),
                )
              }
            >
              {text.html[language]}
            </button>
          ))}
        {result?.report != null && (
          <Button
            disabled={isBusy}
            onClick={() =>
              void save(`evidence-${id}.zip`, () =>
                askBytes('/v1/analysis/bundle', { query: { tenantName, id } }),
              )
            }
          >
            {text.bundle}
          </Button>
        )}
        <Button
          onClick={() =>
            saveAs(
              `analysis-${id}.json`,
              new Blob([JSON.stringify(analysis, null, 2)], { type: 'application/json' }),
            )
          }
        >
          {text.json}
        </Button>
      </div>
    </section>
  );
}

function FileLink({ place, name }: { readonly place: StorageUrls; readonly name: string }) {
  return (
    <a href={place.getUrl} target="_blank" rel="noreferrer">
      {name}
    </a>
  );
}
