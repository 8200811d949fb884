/**
 * The pages of the manual, in the order of its list: the title and what a page tells, in both languages. The texts stand
 * in `src/manual` and, with the same file names, in `src/manual/de`.
 */

import type { Language } from '../contract/vocabulary.ts';

type Topic = Readonly<Record<Language, readonly [title: string, about: string]>>;

export const topics: Readonly<Record<string, Topic>> = {
  glossary: {
    en: ['Glossary', 'the words that the program, the reports and the source code use'],
    de: ['Glossar', 'die Begriffe in Programm, Berichten und Quelltext'],
  },
  methods: {
    en: ['Methods', 'what is examined, how a verdict comes about, how to read maps'],
    de: ['Methoden', 'was untersucht wird, wie ein Ergebnis entsteht, wie man Heatmaps liest'],
  },
  accuracy: {
    en: ['Accuracy', 'how often it is wrong, how fast it is, what it cannot do'],
    de: ['Genauigkeit', 'wie oft das Programm irrt, wie schnell es ist, was es nicht kann'],
  },
  speed: {
    en: ['Speed', 'how long each step of an examination takes'],
    de: ['Geschwindigkeit', 'wie lange jeder Schritt einer Untersuchung dauert'],
  },
  evidence: {
    en: ['Evidence', 'reports, signed bundles, custody, audit log, your own error rates'],
    de: [
      'Beweismittel',
      'Berichte, signierte Pakete, Beweismittelkette, Audit-Log, eigene Fehlerraten',
    ],
  },
  console: {
    en: ['Console', 'the web page: first account, analyses, administration'],
    de: ['Konsole', 'die Weboberfläche: erstes Konto, Analysen, Verwaltung'],
  },
  server: {
    en: ['Server', 'the HTTP interface, and using a server from another machine'],
    de: ['Server', 'die HTTP-Schnittstelle; einen Server von einem anderen Rechner aus benutzen'],
  },
  administration: {
    en: ['Administration', 'tenants, keys, users, stores, webhooks, retention, models'],
    de: ['Verwaltung', 'Mandanten, Schlüssel, Benutzer, Speicher, Webhooks, Aufbewahrung, Modelle'],
  },
  ci: {
    en: ['CI', 'many pictures, output formats, pipelines, key rotation'],
    de: ['CI', 'viele Bilder, Ausgabeformate, Pipelines, Schlüssel erneuern'],
  },
  deployment: {
    en: ['Deployment', 'systemd, proxy, container, no network, doctor, backup, security'],
    de: ['Betrieb', 'systemd, Proxy, Container, ohne Netz, doctor, Sicherung, Sicherheit'],
  },
  machines: {
    en: ['Machines', 'PostgreSQL, a bucket, and as many servers and workers as needed'],
    de: ['Mehrere Rechner', 'PostgreSQL, ein Bucket und so viele Server und Worker wie nötig'],
  },
  security: {
    en: ['Security', 'what is protected against whom, how that is tested, how to report problems'],
    de: ['Sicherheit', 'was vor wem geschützt ist, wie das geprüft wird, wie man Lücken meldet'],
  },
  library: {
    en: ['Library', 'examine and verify in your own program'],
    de: ['Bibliothek', 'im eigenen Programm untersuchen und prüfen'],
  },
  commands: {
    en: ['Commands', 'every command and option'],
    de: ['Befehle', 'alle Befehle und Optionen'],
  },
  settings: {
    en: ['Settings', 'every setting, as flag, variable and in the config file'],
    de: [
      'Einstellungen',
      'alle Einstellungen, als Option, Variable und in der Konfigurationsdatei',
    ],
  },
  'exit-codes': {
    en: ['Exit codes', 'exit codes, error codes and HTTP status'],
    de: ['Exit-Codes', 'Exit-Codes, Fehlercodes und HTTP-Status'],
  },
  architecture: {
    en: ['Architecture', 'the source code: its rooms, and three paths through them'],
    de: ['Architektur', 'der Quelltext: seine Räume und drei Wege durch sie'],
  },
};

/** The file of a page below `src/manual`. */
export function manualFile(topic: string, language: Language): string {
  return `${language === 'en' ? '' : `${language}/`}${topic}.md`;
}
