/** One of several, by name: the options of an analysis are chosen in more than one place. */

import { decisionStrategies } from '../../contract/vocabulary.ts';
import { useConsole } from '../context.ts';
import { Field } from './pieces.tsx';

export function Choice({
  label,
  help,
  texts,
  value,
  onChoice,
}: {
  readonly label: string;
  readonly help?: string;
  /** By value, in the order in which they are offered. */
  readonly texts: Readonly<Record<string, string>>;
  readonly value: string;
  readonly onChoice: (value: string) => void;
}) {
  return (
    <Field label={label} {...(help === undefined ? {} : { help })}>
      {(id) => (
        <select
          id={id}
          value={value}
          onChange={({ currentTarget }) => onChoice(currentTarget.value)}
        >
          {Object.entries(texts).map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type Strategy = (typeof decisionStrategies)[number];

export function StrategyChoice({
  value,
  onChoice,
}: {
  readonly value: Strategy;
  readonly onChoice: (value: Strategy) => void;
}) {
  const { upload } = useConsole().words;
  return (
    <Choice
      label={upload.strategy}
      texts={upload.strategies}
      value={value}
      onChoice={(chosen) =>
        onChoice(decisionStrategies.find((each) => each === chosen) ?? 'default')
      }
    />
  );
}
