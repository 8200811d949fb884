/** The pages of the manual, in order, with titles and summaries; the texts are in `src/manual` and `src/manual/de`. */

import type { Language } from '../contract/vocabulary.ts';

type Topic = Readonly<Record<Language, readonly [title: string, about: string]>>;

export const topics: Readonly<Record<string, Topic>> = {
  glossary: {
    en: ['Glossary', 'the words that the program, the reports and the source code use'],
    de: ['Glossar', 'die Begriffe in Programm, Berichten und Quelltext'],
  },
  methods: {
    en: ['Methods', 'what is examined, how a verdict is reached, and how to read maps'],
    de: ['Methoden', 'was untersucht wird, wie ein Ergebnis entsteht, wie man Heatmaps liest'],
  },
  accuracy: {
    en: ['Accuracy', 'how often it is wrong, and what it cannot do'],
    de: ['Genauigkeit', 'wie oft sich das Programm irrt und was es nicht kann'],
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
    en: ['Server', 'the HTTP API, and how to use a server from another machine'],
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
    en: [
      'Security',
      'what is protected against whom, how this is tested, how to report a vulnerability',
    ],
    de: ['Sicherheit', 'was vor wem geschützt ist, wie das geprüft wird, wie man Lücken meldet'],
  },
  library: {
    en: ['Library', 'examining and verifying from your own program'],
    de: ['Bibliothek', 'im eigenen Programm untersuchen und prüfen'],
  },
  commands: {
    en: ['Commands', 'every command and option'],
    de: ['Befehle', 'alle Befehle und Optionen'],
  },
  settings: {
    en: ['Settings', 'every setting, as a flag, a variable and in the config file'],
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
    en: ['Architecture', 'the source code: its modules, and three journeys through them'],
    de: ['Architektur', 'der Quelltext: seine Module und drei Abläufe'],
  },
};

export function manualFile(topic: string, language: Language): string {
  return `${language === 'en' ? '' : `${language}/`}${topic}.md`;
}

/** A part of a page, without the Markdown around it; the text keeps its inline markup. */
export type Block =
  | { readonly is: 'heading'; readonly level: number; readonly text: string }
  | { readonly is: 'paragraph'; readonly text: string }
  | { readonly is: 'code'; readonly text: string }
  | { readonly is: 'list'; readonly isOrdered: boolean; readonly items: readonly string[] }
  | {
      readonly is: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

/** The blocks of a page. Pictures and comments are left out. */
export function blocksIn(text: string): readonly Block[] {
  const lines = text.replaceAll(/<!--[\s\S]*?-->| ?!\[[^\]]*\]\([^)]*\)/g, '').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  const take = (isSuch: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && isSuch(lines[at]!)) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at]!;
    const heading = /^(#{1,4}) (.*)$/.exec(line);
    if (line.trim() === '') at++;
    else if (heading !== null) {
      blocks.push({ is: 'heading', level: heading[1]!.length, text: heading[2]! });
      at++;
    } else if (line.startsWith('```')) {
      at++;
      const code = take((each) => !each.startsWith('```'));
      at++;
      blocks.push({ is: 'code', text: code.join('\n') });
    } else if (line.startsWith('|')) {
      const [head, , ...rows] = take((each) => each.startsWith('|')).map(cellsOf);
      blocks.push({ is: 'table', head: head!, rows });
    } else if (listItem.test(line)) {
      const isOrdered = /^\d/.test(line);
      const all = take((each) => listItem.test(each) || /^ {2,}\S/.test(each));
      const items: string[] = [];
      for (const each of all) {
        if (listItem.test(each)) items.push(each.replace(listItem, ''));
        else items.push(`${items.pop() ?? ''} ${each.trim()}`);
      }
      blocks.push({ is: 'list', isOrdered, items });
    } else {
      const some = take((each) => each.trim() !== '' && !/^(#|```|\||[-*] |\d+\. )/.test(each));
      // The line only looks like the start of another kind of block.
      if (some.length === 0) some.push(lines[at++]!);
      blocks.push({ is: 'paragraph', text: some.join(' ') });
    }
  }
  return blocks;
}

const listItem = /^(?:[-*]|\d+\.) +/;

function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}
