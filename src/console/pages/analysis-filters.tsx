/** Search and filters for the list of analyses. */

import { useEffect, useState } from 'preact/hooks';
import type { Filters } from '../api/analyses.ts';
import { useConsole } from '../context.ts';
import { PeriodFields, SelectField, TextField } from '../parts/form.tsx';
import { Button } from '../parts/pieces.tsx';

interface FilterBarProps {
  readonly filters: Filters;
  readonly change: (next: Filters) => void;
  readonly isFiltered: boolean;
}

export function FilterBar({ filters, change, isFiltered }: FilterBarProps) {
  const { list } = useConsole();
  const { term, tag, setTerm, setTag } = useTyped(filters, change);
  const reset = () => {
    setTerm('');
    setTag('');
    change({ searchTerm: '', tag: '', verdict: '', status: '', from: '', to: '' });
  };
  return (
    <form
      class="toolbar columns filters"
      role="search"
      onSubmit={(event) => event.preventDefault()}
    >
      <TextField
        label={list.search}
        type="search"
        placeholder={list.searchIn}
        maxLength={500}
        value={term}
        onValue={setTerm}
      />
      <SelectField
        label={list.verdict}
        options={{ '': list.any, ...list.results }}
        value={filters.verdict ?? ''}
        onValue={(verdict) => change({ verdict })}
      />
      <SelectField
        label={list.status}
        options={{ '': list.any, ...list.statuses }}
        value={filters.status ?? ''}
        onValue={(status) => change({ status })}
      />
      <TextField label={list.tag} value={tag} onValue={setTag} />
      <PeriodFields period={filters} onDay={change} />
      {isFiltered && <Button onClick={reset}>{list.reset}</Button>}
    </form>
  );
}

/** Text becomes a filter after a short pause in typing, so that there is a request per word, not per letter. */
function useTyped(
  { searchTerm = '', tag: filtered = '' }: Filters,
  change: (next: Filters) => void,
) {
  const [term, setTerm] = useState(searchTerm);
  const [tag, setTag] = useState(filtered);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (term !== searchTerm || tag !== filtered) change({ searchTerm: term, tag });
    }, 300);
    return () => clearTimeout(timer);
  }, [term, tag]);
  return { term, tag, setTerm, setTag };
}
