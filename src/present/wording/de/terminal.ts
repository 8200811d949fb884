import type { terminal as english } from '../en/terminal.ts';

export const terminal: typeof english = {
  card: {
    labels: {
      because: 'Grund',
      wrong: 'In Tests',
      file: 'Laut Datei',
      next: 'Empfehlung',
      more: 'Bericht',
      unread: 'Hinweise',
    },
    generated: (p) => `P(erzeugt) ${p}`,
    changed: (p) => `P(verändert) ${p}`,
    open: (from, to) => ` (unentschieden: ${from} bis ${to})`,
    more: 'PDF und Heatmaps: --tier forensicReporting --out ORDNER',
    onServer: (id) => `Analyse ${id}`,
  },
  seen: {
    label: 'Schon vorgelegt',
    linked: 'Verknüpft',
    inCase: (name) => `Fall ${name}`,
    mirrored: 'gespiegelt',
    reasons: {
      camera: 'dieselbe Kamera (Seriennummer)',
      document: 'dieselbe Dokument-ID',
      settings: 'dieselben Generator-Einstellungen',
    },
    as: (shared) => `${shared} wie`,
    more: (count) => `und ${count} weitere`,
  },
  table: {
    head: {
      file: 'BILD',
      result: 'ERGEBNIS',
      generated: 'P(ERZEUGT)',
      changed: 'P(VERÄNDERT)',
    },
    reason: 'GRUND',
    copies: {
      same: (file) => `dieselbe Datei wie ${file}`,
      copy: (file) => `zeigt dasselbe wie ${file}`,
      mirrored: (file) => `zeigt dasselbe wie ${file}, gespiegelt`,
    },
    results: {
      real: 'ohne Anzeichen',
      fake: 'wirkt KI-erzeugt',
      changed: 'wirkt verändert',
      declared: 'laut Datei KI',
      uncertain: 'unentschieden',
      abstain: 'nicht beurteilbar',
      failed: 'fehlgeschlagen',
      started: 'gestartet',
    },
  },
  pdf: {
    part: (page, picture) =>
      picture === null ? `Seite ${page}` : `Seite ${page}, Bild ${picture}`,
  },
  summary: {
    pictures: (count) => `${count} ${count === 1 ? 'Bild' : 'Bilder'}`,
    counts: {
      real: 'ohne Anzeichen',
      fake: 'mit Anzeichen',
      abstain: 'nicht beurteilbar',
      uncertain: 'unentschieden',
      failed: 'fehlgeschlagen',
    },
    kinds: {
      text: (count) => `${count} ${count === 1 ? 'Textdatei' : 'Textdateien'}`,
      html: (count) => `${count} ${count === 1 ? 'Webseite' : 'Webseiten'}`,
      video: (count) => `${count} ${count === 1 ? 'Video' : 'Videos'}`,
      zip: (count) =>
        `${count} ${count === 1 ? 'Archiv oder Office-Dokument' : 'Archive oder Office-Dokumente'}`,
      gzip: (count) => `${count} ${count === 1 ? 'gzip-Archiv' : 'gzip-Archive'}`,
      empty: (count) => `${count} leere ${count === 1 ? 'Datei' : 'Dateien'}`,
      unknown: (count) => `${count} ${count === 1 ? 'Datei' : 'Dateien'} unbekannter Art`,
    },
    notPictures: (kinds) => `Nicht untersucht, da keine Bilder: ${kinds}.`,
    leftOut: (names, more) =>
      `Ausgelassen: ${names}${more > 0 ? ` und ${more} weitere, alle in --csv und --jsonl` : ''}.`,
    skipped: {
      hidden: 'versteckt',
      own_results: 'Ergebnisse dieses Laufs',
      special_file: 'Gerät, Pipe oder Socket',
      folder_seen_before: 'Ordner, der schon gelesen wurde',
      small_pictures: (count) =>
        `${count} ${count === 1 ? 'Bild' : 'Bilder'} mit einer Kantenlänge unter 65 Pixeln`,
      repeated_pictures: (count) =>
        `${count} ${count === 1 ? 'Bild' : 'Bilder'}, schon einmal verwendet`,
      later_pages: (count) => `${count} Seiten nach den ersten 500`,
    },
    results: (dir) => `Ergebnisse in ${dir}, ein Ordner je Bild`,
    stopped: 'Abgebrochen.',
    noneExamined: 'Es wurde kein Bild untersucht und nichts geschrieben.',
    rates: { second: 'pro Sekunde', minute: 'pro Minute', hour: 'pro Stunde' },
  },
  progress: {
    one: 'Wird untersucht',
    examined: (count) => `${count} untersucht`,
    failed: (count) => `${count} fehlgeschlagen`,
    left: (time) => `noch etwa ${time}`,
  },
};
