/** Parts of a page behind tabs; the address names the open one, and paper shows all of them. */

import type { ComponentChildren } from 'preact';

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly title: string;
  readonly content: ComponentChildren;
}

const moves: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowLeft: (at, count) => (at + count - 1) % count,
  ArrowRight: (at, count) => (at + 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

/** @see WAI-ARIA Authoring Practices, "Tabs": one stop of the Tab key, arrow keys between them. */
export function Tabs<Id extends string>({
  label,
  tabs,
  open,
  onOpen,
}: {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly open: Id;
  readonly onOpen: (id: Id) => void;
}) {
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === open);
    const next = moves[event.key]?.(at, tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    onOpen(tabs[next]!.id);
    document.getElementById(`tab-${tabs[next]!.id}`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={id === open}
            aria-controls={`panel-${id}`}
            tabIndex={id === open ? 0 : -1}
            onClick={() => onOpen(id)}
          >
            {title}
          </button>
        ))}
      </div>
      {tabs.map(({ id, content }) => (
        <div
          key={id}
          role="tabpanel"
          id={`panel-${id}`}
          aria-labelledby={`tab-${id}`}
          class="stack"
          hidden={id !== open}
        >
          {content}
        </div>
      ))}
    </div>
  );
}
