/** The answer in words, what it is based on, and what to do next. */

import type { Analysis } from '../../contract/analysis.ts';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { writeBriefly } from '../../present/findings.ts';
import type { Presentation } from '../../present/presentation.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { useConsole } from '../context.ts';
import { isOfPart, isSpeaking, numbersOf, type PlacesProps } from '../parts/located.ts';
import { isNotStarted } from '../parts/pieces.tsx';
import { writeReason } from '../parts/verdict.ts';
import { SeenLines } from './other-pictures.tsx';

/** @param verdict - null if the analysis failed or has not finished. */
export function Answer(props: { analysis: Analysis; verdict: Presentation | null }) {
  const { analysis, verdict } = props;
  const { analysis: text, language } = useConsole();
  if (verdict !== null) {
    const { outcome, headline, because } = verdict;
    const side = outcome === 'changed' || outcome === 'declared' ? 'fake' : outcome;
    return (
      <section class={`panel verdict ${side}`}>
        <h2>{headline}</h2>
        {because !== '' && <p class="lead">{because}</p>}
      </section>
    );
  }
  const { status } = analysis.inferenceStatus;
  const waiting = isNotStarted(analysis) ? text.notStarted : text.waiting;
  return (
    <section class={`panel verdict ${status}`} role="status">
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

interface ReasonsProps extends PlacesProps {
  readonly analysis: Analysis;
  readonly verdict: Presentation;
  readonly seen: readonly SeenBefore[];
}

/** The most important findings or, if nothing was decided, the reasons; and what to do next. */
export function Reasons({ analysis, verdict, seen, evidence, ...places }: ReasonsProps) {
  const { analysis: text, language } = useConsole();
  const { findings = [], reasons = [] } = evidence ?? {};
  // All of it fits on the first screen.
  const most = seen.length > 0 ? 2 : 3;
  const marked = places.located.filter(({ isMarked }) => isMarked);
  // A local change is possible even if the picture as a whole was not generated.
  const isPart = evidence !== null && isOfPart(evidence);
  const speaking = findings
    .filter((one) => isSpeaking(one) && (!isPart || one.speaksFor === 'fake'))
    .slice(0, most);
  return (
    <section class="panel reasons">
      {seen.length > 0 && (
        <div class="notice warn small">
          <SeenLines seen={seen} analysis={analysis} />
        </div>
      )}
      {marked.length > 0 && (
        <p class="row">
          {wordsIn(language).document.head.rows.marked}:{' '}
          <Numbers numbers={marked.map(({ number }) => number)} method={null} {...places} />
        </p>
      )}
      {speaking.length + reasons.length > 0 && <h3>{text.why}</h3>}
      {speaking.map((finding) => (
        <p key={finding.method} class={`finding small ${finding.speaksFor}`}>
          <Numbers
            numbers={numbersOf(places.located, finding.method)}
            method={finding.method}
            {...places}
          />{' '}
          <span title={finding.statement[language]}>{writeBriefly(finding, language)}</span>
        </p>
      ))}
      {reasons.slice(0, most - speaking.length).map(({ code, statement }) => (
        <p key={code} class="finding small">
          {statement[language]}
        </p>
      ))}
      {verdict.next !== '' && (
        <>
          <h3>{text.next}</h3>
          <p>{verdict.next}</p>
        </>
      )}
      {/* With evidence, the tab of the findings says it. */}
      {evidence === null && verdict.errorRateBriefly !== '' && (
        <p class="soft small">{verdict.errorRateBriefly}</p>
      )}
    </section>
  );
}

interface NumbersProps extends Pick<PlacesProps, 'selected' | 'setSelected'> {
  readonly numbers: readonly number[];
  readonly method: string | null;
}

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
