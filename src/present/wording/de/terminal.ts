import type { terminal as english } from '../en/terminal.ts';

export const terminal: typeof english = {
  card: {
    labels: {
      because: 'Grund',
      wrong: 'Fehlerrate',
      file: 'Laut Datei',
      next: 'Empfehlung',
      more: 'Bericht',
    },
    generated: (p) => `P(erzeugt) ${p}`,
    changed: (p) => `P(verändert) ${p}`,
    open: (from, to) => ` (offen von ${from} bis ${to})`,
    more: 'PDF und Heatmaps: --tier forensicReporting --out ORDNER',
    onServer: (id) => `Analyse ${id}`,
  },
  table: {
    head: {
      file: 'BILD',
      result: 'ERGEBNIS',
      generated: 'P(ERZEUGT)',
      changed: 'P(VERÄNDERT)',
    },
    reason: 'GRUND',
    results: {
      real: 'ohne Anzeichen',
      fake: 'wirkt erzeugt',
      changed: 'wirkt verändert',
      declared: 'laut Datei KI',
      uncertain: 'offen',
      abstain: 'nicht beurteilbar',
      failed: 'fehlgeschlagen',
      started: 'gestartet',
    },
  },
  summary: {
    pictures: (count) => `${count} ${count === 1 ? 'Bild' : 'Bilder'}`,
    counts: {
      real: 'ohne Anzeichen',
      fake: 'mit Anzeichen',
      abstain: 'nicht beurteilbar',
      uncertain: 'offen',
      failed: 'fehlgeschlagen',
    },
    results: (dir) => `Ergebnisse in ${dir}, ein Ordner je Bild`,
    stopped: 'Abgebrochen.',
    noneExamined: 'Kein Bild wurde untersucht, nichts wurde geschrieben.',
    rates: { second: 'pro Sekunde', minute: 'pro Minute', hour: 'pro Stunde' },
  },
  progress: {
    one: 'Wird untersucht',
    examined: (count) => `${count} untersucht`,
    failed: (count) => `${count} fehlgeschlagen`,
    left: (time) => `noch etwa ${time}`,
  },
};
