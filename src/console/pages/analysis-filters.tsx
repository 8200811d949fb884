/** What the list of analyses is searched and filtered by. */

import { useEffect, useState } from 'preact/hooks';
import { resultClasses, statuses } from '../../contract/vocabulary.ts';
import type { Filters } from '../api/analyses.ts';
import { useConsole } from '../context.ts';
import { Field } from '../parts/pieces.tsx';

export function FilterBar({
  filters,
  change,
  isFiltered,
}: {
  readonly filters: Filters;
  readonly change: (next: Filters) => void;
  readonly isFiltered: boolean;
}) {
  const { list } = useConsole().words;
  const [term, setTerm] = useState(filters.searchTerm ?? '');
  const [tag, setTag] = useState(filters.tag ?? '');
  useEffect(() => {
    // A request for each word, not for each letter.
    const timer = setTimeout(() => {
      if (term !== (filters.searchTerm ?? '') || tag !== (filters.tag ?? '')) {
        change({ searchTerm: term, tag });
      }
    }, 300);
    return () => clearTimeout(timer);
  }, [term, tag]);
  const reset = () => {
    setTerm('');
    setTag('');
    change({ searchTerm: '', tag: '', verdict: '', status: '', from: '', to: '' });
  };
  return (
    <form class="toolbar filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <Field label={list.search}>
        {(id) => (
          <input
            id={id}
            type="search"
            placeholder={list.searchIn}
            maxLength={500}
            value={term}
            onInput={({ currentTarget }) => setTerm(currentTarget.value)}
          />
        )}
      </Field>
      <Field label={list.verdict}>
        {(id) => (
          <select
            id={id}
            value={filters.verdict ?? ''}
            onChange={({ currentTarget: { value } }) =>
              change({ verdict: resultClasses.find((each) => each === value) ?? '' })
            }
          >
            <option value="">{list.any}</option>
            {resultClasses.map((each) => (
              <option key={each} value={each}>
                {list.results[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={list.status}>
        {(id) => (
          <select
            id={id}
            value={filters.status ?? ''}
            onChange={({ currentTarget: { value } }) =>
              change({ status: statuses.find((each) => each === value) ?? '' })
            }
          >
            <option value="">{list.any}</option>
            {statuses.map((each) => (
              <option key={each} value={each}>
                {list.statuses[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={list.tag}>
        {(id) => (
          <input id={id} value={tag} onInput={({ currentTarget }) => setTag(currentTarget.value)} />
        )}
      </Field>
      <button type="button" class="button" disabled={!isFiltered} onClick={reset}>
        {list.reset}
      </button>
      <div class="row period">
        {(['from', 'to'] as const).map((end) => (
          <Field key={end} label={list[end]}>
            {(id) => (
              <input
                id={id}
                type="date"
                value={filters[end] ?? ''}
                onChange={({ currentTarget }) => change({ [end]: currentTarget.value })}
              />
            )}
          </Field>
        ))}
      </div>
    </form>
  );
}
