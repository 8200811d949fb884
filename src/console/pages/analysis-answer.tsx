/** The answer in words, what it is based on, and what to do next. */

import type { Analysis } from '../../contract/analysis.ts';
import type { Evidence } from '../../contract/evidence.ts';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { writeBriefly } from '../../present/findings.ts';
import type { Presentation } from '../../present/presentation.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { useConsole } from '../context.ts';
import { isOfPart, isSpeaking, numbersOf } from '../parts/located.ts';
import { isNotStarted } from '../parts/pieces.tsx';
import { writeReason } from '../parts/verdict.ts';
import type { PlacesProps } from './analysis-picture.tsx';
import { SeenLine } from './other-pictures.tsx';

const reasonsShown = 3;
const seenShown = 2;

export function Answer({
  analysis,
  verdict,
  seen,
  ...places
}: PlacesProps & {
  readonly analysis: Analysis;
  readonly verdict: Presentation | null;
  readonly seen: readonly SeenBefore[];
}) {
  const { analysis: text } = useConsole();
  if (verdict === null) return <NoVerdict analysis={analysis} />;
  const { outcome, headline, because, next, errorRateBriefly } = verdict;
  const side = outcome === 'changed' || outcome === 'declared' ? 'fake' : outcome;
  return (
    <section class={`panel verdict ${side}`}>
      <div class="stack">
        <h2>{headline}</h2>
        {because !== '' && <p class="lead">{because}</p>}
      </div>
      <div class="stack">
        {seen.slice(0, seenShown).map((other) => (
          <p key={other.id} class="notice warn small">
            <SeenLine other={other} analysis={analysis} />
          </p>
        ))}
        {places.evidence !== null && <Reasons {...places} evidence={places.evidence} />}
        <div>
          <h3>{text.next}</h3>
          <p>{next}</p>
        </div>
        {errorRateBriefly !== '' && <p class="soft small">{errorRateBriefly}</p>}
      </div>
    </section>
  );
}

/** Shown if the analysis failed or has not finished. */
function NoVerdict({ analysis }: { readonly analysis: Analysis }) {
  const { analysis: text, language } = useConsole();
  const { status } = analysis.inferenceStatus;
  const waiting = isNotStarted(analysis) ? text.notStarted : text.waiting;
  return (
    <section class="panel verdict" role="status">
      {status === 'failed' ? (
        <>
          <h2>{text.failed}</h2>
          <p>{writeReason(analysis, language)}</p>
        </>
      ) : (
        <p class="lead">{status === 'pending' ? waiting : text.running}</p>
      )}
    </section>
  );
}

/** The most important findings or, if nothing was decided, the reasons. */
function Reasons({ evidence, ...places }: PlacesProps & { readonly evidence: Evidence }) {
  const { analysis: text, language } = useConsole();
  const { findings, reasons } = evidence;
  const marked = places.located.filter(({ isMarked }) => isMarked);
  const numbers = marked.map(({ number }) => number);
  // A local change is possible even if the picture as a whole was not generated.
  const speaking = findings
    .filter((one) => isSpeaking(one) && (!isOfPart(evidence) || one.speaksFor === 'fake'))
    .slice(0, reasonsShown);
  return (
    <>
      {numbers.length > 0 && (
        <p class="row">
          {wordsIn(language).document.head.rows.marked}:{' '}
          <Numbers numbers={numbers} method={null} {...places} />
        </p>
      )}
      {speaking.length + reasons.length > 0 && <h3>{text.why}</h3>}
      <ul class="plain reasons small">
        {speaking.map((finding) => (
          <li key={finding.method} class={finding.speaksFor}>
            <Numbers
              numbers={numbersOf(places.located, finding.method)}
              method={finding.method}
              {...places}
            />
            <span title={finding.statement[language]}>{writeBriefly(finding, language)}</span>
          </li>
        ))}
        {reasons.slice(0, reasonsShown - speaking.length).map(({ code, statement }) => (
          <li key={code}>
            <span title={statement[language]}>{statement[language]}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

interface NumbersProps extends Pick<PlacesProps, 'selected' | 'setSelected'> {
  readonly numbers: readonly number[];
  readonly method: string | null;
}

/** Buttons with the numbers of a finding in the picture. */
export function Numbers({ numbers, method, selected, setSelected }: NumbersProps) {
  const { analysis: text } = useConsole();
  return (
    <>
      {numbers.map((number) => (
        <button
          key={number}
          type="button"
          class="number"
          aria-label={text.showPlace(number)}
          aria-pressed={selected?.number === number}
          onClick={() =>
            setSelected(
              selected?.number === number && selected.method === method ? null : { number, method },
            )
          }
        >
          {number}
        </button>
      ))}
    </>
  );
}
