/** The contents of the tabs of an analysis: findings, origin, files. */

import type { ComponentChildren } from 'preact';
import type { Analysis } from '../../contract/analysis.ts';
import type { Evidence } from '../../contract/evidence.ts';
import { languages } from '../../contract/vocabulary.ts';
import { writeNextStep, writeOrigin, writeWarnings } from '../../present/findings.ts';
import type { Presentation } from '../../present/presentation.ts';
import { nameIn } from '../../present/text.ts';
import { createNumberWriter, wordsIn } from '../../present/wording/catalogue.ts';
import { useConsole } from '../context.ts';
import { saveAs, useDownloads } from '../parts/files.tsx';
import { type Act, Buttons, Dots, Facts, Panel } from '../parts/pieces.tsx';
import { heatmapUrl, mapNames } from '../parts/look.ts';
import { isSpeaking, numbersOf, type PlacesProps } from '../parts/located.ts';
import { Numbers } from './analysis-answer.tsx';

interface EvidenceProps {
  readonly evidence: Evidence;
}

export function Findings({ evidence, ...places }: PlacesProps & EvidenceProps) {
  const { analysis: text, language } = useConsole();
  const { findings, skipped, reasons } = evidence;
  const neutral = findings.filter(({ speaksFor }) => speaksFor === 'neither');
  const speaking = findings.filter((finding) => !neutral.includes(finding));
  return (
    <Panel title={text.findings}>
      {speaking.length === 0 && <p class="soft">{text.noFindings}</p>}
      <FindingList findings={speaking} evidence={evidence} {...places} />
      <TitledDots
        title={text.reasons}
        items={reasons.map(({ statement, help }) => (
          <>
            {statement[language]}{' '}
            <span class="soft">
              {text.helps}: {help[language]}
            </span>
          </>
        ))}
      />
      {neutral.length > 0 && (
        <details>
          <summary>{text.neutral(neutral.length)}</summary>
          <FindingList findings={neutral} evidence={evidence} {...places} />
        </details>
      )}
      {skipped.length > 0 && (
        <details>
          <summary>{text.skipped}</summary>
          <Dots kind="small soft" items={skipped.map(({ reason }) => reason[language])} />
        </details>
      )}
    </Panel>
  );
}

function TitledDots({ title, items }: { title: string; items: readonly ComponentChildren[] }) {
  if (items.length === 0) return null;
  return (
    <div class="stack">
      <h3>{title}</h3>
      <Dots items={items} />
    </div>
  );
}

function FindingList({ findings, ...places }: PlacesProps & Pick<Evidence, 'findings'>) {
  const { located, selected, setSelected } = places;
  const { analysis: text, language } = useConsole();
  const { strength: degrees, findings: named } = wordsIn(language);
  const { score: written, plain } = createNumberWriter(language);
  return (
    <ol class="plain">
      {findings.map((finding) => {
        const { method, speaksFor, strength, score, statement, source, measures } = finding;
        const numbers = numbersOf(located, method);
        const isChosen = selected !== null && numbers.includes(selected.number);
        const next = isSpeaking(finding) ? writeNextStep(finding, language) : '';
        return (
          <li key={method} class={isChosen ? 'finding selected' : 'finding'}>
            <div class="row">
              <Numbers {...{ numbers, method, selected, setSelected }} />
              <span class={`badge ${speaksFor}`}>{text.sides[speaksFor]}</span>
              {strength !== 'none' && <span class="small soft">{degrees.adverbs[strength]}</span>}
            </div>
            <p>{statement[language]}</p>
            {next !== '' && (
              <p>
                <strong>{text.next}:</strong> {next}
              </p>
            )}
            <details class="small soft">
              <summary>
                {text.measures}: {nameIn(named.methods, method, method)}, {written(score)}
              </summary>
              <p>
                {text.source}: {nameIn(named.sources, source, source)}
              </p>
              <p class="mono">
                {Object.entries(measures)
                  .map(([name, value]) => `${name} ${plain(value)}`)
                  .join(' · ')}
              </p>
            </details>
          </li>
        );
      })}
    </ol>
  );
}

export function Certainty(props: EvidenceProps & { readonly verdict: Presentation | null }) {
  const { analysis: text, language } = useConsole();
  const { verdict, evidence } = props;
  const { statement, manipulation } = evidence;
  return (
    <Panel title={text.certainty}>
      <Facts
        rows={[
          [text.strength, statement[language]],
          [text.changed, manipulation?.statement[language] ?? ''],
          [wordsIn(language).terminal.card.labels.wrong, verdict?.errorRate ?? ''],
          [text.further, verdict?.further.join(' ') ?? ''],
        ]}
      />
      <p class="soft small">{wordsIn(language).strength.evaluation.scaleNote}</p>
    </Panel>
  );
}

export function Origin({ evidence: { provenance } }: EvidenceProps) {
  const { analysis: text, language } = useConsole();
  const named = 'Content Credentials (C2PA)';
  const { declarations, software, history, inconsistencies, credentials } = provenance;
  const isSilent =
    declarations.length + software.length + history.length === 0 && credentials === null;
  return (
    <Panel title={text.provenance}>
      {isSilent ? (
        <p class="soft">{text.noProvenance}</p>
      ) : (
        <Dots items={writeOrigin(provenance, language).map((phrase) => <bdi>{phrase}</bdi>)} />
      )}
      {credentials !== null && (
        <p class="soft small">
          {named}: {wordsIn(language).glossary.terms[named]}
        </p>
      )}
      <TitledDots
        title={wordsIn(language).terminal.card.labels.unread}
        items={writeWarnings(provenance, language)}
      />
      <TitledDots
        title={text.inconsistencies}
        items={inconsistencies.map(({ statement }) => statement[language])}
      />
      {history.length > 0 && (
        <div class="stack">
          <h3>{text.history}</h3>
          <ol class="stack small">
            {history.map((step, at) => (
              <li key={at}>
                <bdi>{[step.action, step.software, step.when].filter(Boolean).join(' · ')}</bdi>
              </li>
            ))}
          </ol>
        </div>
      )}
    </Panel>
  );
}

export function StabilityPanel({ evidence: { stability } }: EvidenceProps) {
  const { analysis: text, language } = useConsole();
  const { score } = createNumberWriter(language);
  if (stability === null) return null;
  return (
    <Panel title={text.stability}>
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
            <progress value={fakeProbability} max={1} aria-hidden="true" />
          </li>
        ))}
      </ul>
      <p class="small soft">{wordsIn(language).labels.rows.probability}</p>
    </Panel>
  );
}

export function NotChecked({ evidence: { notChecked } }: EvidenceProps) {
  const { analysis, language } = useConsole();
  if (notChecked.length === 0) return null;
  return (
    <Panel title={analysis.notChecked}>
      <Dots items={notChecked.map(({ statement }) => statement[language])} />
    </Panel>
  );
}

/** Files in the store, those that the server creates on request, and the result as JSON. */
export function Files({ analysis }: { readonly analysis: Analysis }) {
  const { analysis: text, language: shown } = useConsole();
  const { isBusy, save } = useDownloads();
  const { id, inferenceStatus } = analysis;
  const { result, status } = inferenceStatus;
  const heatmaps = result?.heatmaps ?? null;
  const maps = (heatmaps === null ? [] : mapNames).map((map) => ({
    name: text.heatmapFile(wordsIn(shown).labels.maps[map]),
    url: heatmapUrl(heatmaps!, map),
  }));
  const original = { name: text.original, url: analysis.input.storageUrls.getUrl };
  const links = [...maps, ...(status === 'completed' ? [original] : [])];
  const hasReport = result?.report != null;
  const reports = (['pdf', 'html'] as const).flatMap((format) =>
    languages.map((language): Act => {
      const name = `report-${id}-${language}.${format}`;
      const query = { id, language, format };
      return hasReport && [text[format][language], () => save(name, '/v1/analysis/report', query)];
    }),
  );
  const saveJson = () => {
    const content = JSON.stringify(analysis, null, 2);
    saveAs(`analysis-${id}.json`, new Blob([content], { type: 'application/json' }));
  };
  const saveBundle = () => save(`evidence-${id}.zip`, '/v1/analysis/bundle', { id });
  return (
    <Panel title={text.tabs.report}>
      <Dots
        items={links.map(({ name, url }) => (
          <a href={url} target="_blank" rel="noreferrer">
            {name}
          </a>
        ))}
      />
      <Buttons
        disabled={isBusy}
        acts={[...reports, hasReport && [text.bundle, saveBundle], [text.json, saveJson]]}
      />
    </Panel>
  );
}
