import { administration } from './administration.ts';
import { examination } from './examination.ts';
import { fill, say, speak } from '../../present/text.ts';

/** Every sentence that only the console uses; sentences shared with reports come from `present`. */
const phrases = {
  nav: {
    label: say('Main', 'Hauptmenü'),
    analyses: say('Analyses', 'Analysen'),
    verify: say('Verify a bundle', 'Paket prüfen'),
    usage: say('Usage', 'Nutzung'),
    keys: say('API keys', 'API-Schlüssel'),
    tenant: say('Tenant', 'Mandant'),
    users: say('Users', 'Benutzer'),
    holds: say('Legal holds', 'Löschsperren'),
    audit: say('Audit log', 'Audit-Log'),
    account: say('Account', 'Konto'),
    help: say('Help', 'Hilfe'),
    menu: say('Menu', 'Menü'),
    skip: say('Skip to content', 'Zum Inhalt springen'),
    logOut: say('Log out', 'Abmelden'),
  },
  common: {
    save: say('Save', 'Speichern'),
    saved: say('Saved.', 'Gespeichert.'),
    cancel: say('Cancel', 'Abbrechen'),
    close: say('Close', 'Schließen'),
    copy: say('Copy', 'Kopieren'),
    copied: say('Copied.', 'Kopiert.'),
    retry: say('Try again', 'Erneut versuchen'),
    loading: say('Loading…', 'Wird geladen …'),
    never: say('Never', 'Nie'),
    unreachable: say(
      'The server is not responding. Check the connection; this page keeps trying.',
      'Der Server antwortet nicht. Prüfen Sie die Verbindung; die Seite versucht es weiter.',
    ),
    failed: say('That did not work.', 'Das hat nicht funktioniert.'),
    /** By error code, with the server's English message for `{message}`; other errors keep the server's words. */
    errors: say<Readonly<Record<string, string>>>(
      {},
      {
        unauthenticated:
          'Die Anmeldung ist fehlgeschlagen. Prüfen Sie E-Mail-Adresse und Passwort.',
        link_invalid:
          'Dieser Link gilt nicht mehr. Verwenden Sie den Link vom letzten Start des Servers, oder melden Sie sich an, falls es schon ein Konto gibt.',
        forbidden: 'Das ist nicht erlaubt. Meldung des Servers: „{message}“',
        not_found: 'Das gibt es nicht (mehr).',
        analysis_not_found: 'Diese Analyse gibt es nicht (mehr).',
        invalid_request: 'Die Angaben sind ungültig. Meldung des Servers: „{message}“',
        conflict: 'Das ist derzeit nicht möglich. Meldung des Servers: „{message}“',
        not_offered: 'Das bietet dieser Server nicht an. Meldung des Servers: „{message}“',
        rate_limited: 'Das waren zu viele Versuche. Warten Sie kurz, und versuchen Sie es erneut.',
        body_too_large: 'Die Datei ist zu groß für diesen Server.',
        bundle_unreadable: 'Diese Datei ist kein lesbares Beweispaket.',
        store_unavailable: 'Der Speicher ist zurzeit nicht erreichbar.',
        store_refused: 'Der Speicher hat den Zugriff verweigert. Meldung des Servers: „{message}“',
        no_space_left: 'Auf dem Server ist kein Speicherplatz mehr frei.',
        identity_unavailable: 'Der Identitätsanbieter ist zurzeit nicht erreichbar.',
        internal: 'Auf dem Server ist ein Fehler aufgetreten.',
      },
    ),
    noRight: say(
      'You can view this page, but you need the “settings” permission to change it.',
      'Sie können diese Seite ansehen; zum Ändern fehlt Ihrem Konto das Recht „settings“.',
    ),
    noAccess: say(
      'You need the “settings” permission to see this page.',
      'Diese Seite ist Konten mit dem Recht „settings“ vorbehalten.',
    ),
    older: say('Older entries', 'Ältere Einträge'),
    newer: say('Newer entries', 'Neuere Einträge'),
    pageNotFound: say('Page not found.', 'Diese Seite gibt es nicht.'),
    newWindow: say('opens a new tab', 'öffnet einen neuen Tab'),
  },
  login: {
    title: say('Log in', 'Anmelden'),
    email: say('Email address', 'E-Mail-Adresse'),
    password: say('Password', 'Passwort'),
    elsewhere: fill('Log in at {issuer}.', 'Die Anmeldung erfolgt bei {issuer}.'),
    elsewhereAct: say('Continue', 'Weiter'),
    expired: say(
      'Your session has ended. Log in again to continue where you left off.',
      'Ihre Sitzung ist abgelaufen. Nach der Anmeldung geht es an derselben Stelle weiter.',
    ),
    loggedOut: say('You have been logged out.', 'Sie sind abgemeldet.'),
    noTenant: say(
      'Your account does not belong to a tenant yet. Ask your administrator to add you to one.',
      'Ihr Konto gehört noch zu keinem Mandanten. Bitten Sie die Administration, es einem zuzuordnen.',
    ),
    failedElsewhere: say(
      'The identity provider refused the login. Try again.',
      'Der Identitätsanbieter hat die Anmeldung abgelehnt. Versuchen Sie es erneut.',
    ),
  },
  first: {
    title: say('Create the first account', 'Erstes Konto anlegen'),
    needed: say('There is no account yet', 'Es gibt noch kein Konto'),
    how: say(
      'Open the one-time link that “forensics serve” printed when it started. It creates the first account.',
      'Öffnen Sie den Einmal-Link, den „forensics serve“ beim Start ausgegeben hat. Damit legen Sie das erste Konto an.',
    ),
    orCommand: say(
      'Or create one on the server’s command line:',
      'Oder legen Sie es auf der Kommandozeile des Servers an:',
    ),
    name: say('Your name', 'Ihr Name'),
    passwordHint: say(
      'At least 12 characters. A few unrelated words work well.',
      'Mindestens 12 Zeichen, am besten mehrere Wörter ohne Zusammenhang.',
    ),
    act: say('Create account', 'Konto anlegen'),
    intro: say(
      'This account belongs to all tenants and can change their settings. The link works once.',
      'Dieses Konto gehört zu allen Mandanten und darf deren Einstellungen ändern. Der Link gilt nur einmal.',
    ),
  },
  upload: {
    title: say('Drop pictures here', 'Bilder hierher ziehen'),
    hint: say(
      '{formats}, up to {megabytes} MB and {maxSide} pixels a side. You can also paste pictures or drop folders.',
      '{formats}, bis {megabytes} MB und {maxSide} Pixel Kantenlänge. Sie können auch ganze Ordner hierher ziehen oder Bilder einfügen.',
    ),
    choose: say('Choose pictures', 'Bilder wählen'),
    chooseFolder: say('Choose a folder', 'Ordner wählen'),
    options: say('Options', 'Optionen'),
    tier: say('Tier', 'Umfang'),
    tiers: {
      flagging: say('Verdict only', 'Nur Ergebnis'),
      forensicReporting: say('Full report', 'Vollständiger Bericht'),
    },
    tierHelp: say(
      'A full report includes heatmaps, findings and PDFs. A verdict can be upgraded to a full report later without another examination.',
      'Ein vollständiger Bericht enthält Heatmaps, Befunde und PDFs. Ein Ergebnis lässt sich später ohne erneute Untersuchung zum Bericht erweitern.',
    ),
    strategies: {
      pedantic: say('Pedantic: decides least often', 'Streng: entscheidet am seltensten'),
      default: say('Default: balanced', 'Ausgewogen (Standard)'),
      relaxed: say('Relaxed: decides most often', 'Großzügig: entscheidet am häufigsten'),
    },
    tags: say('Tags, separated by commas', 'Schlagwörter, durch Kommas getrennt'),
    progress: fill('{done} of {of} sent', '{done} von {of} gesendet'),
    refusedCount: say(
      (count: number) => (count === 1 ? '1 refused' : `${count} refused`),
      (count) => `${count} abgelehnt`,
    ),
    examined: fill('{done} of {of} examined', '{done} von {of} untersucht'),
    failedCount: fill('{count} failed', '{count} fehlgeschlagen'),
    cancelAll: say('Cancel the rest', 'Übrige abbrechen'),
    clear: say('Clear the list', 'Liste leeren'),
    states: {
      waiting: say('Waiting', 'Wartet'),
      preparing: say('Reading', 'Wird gelesen'),
      uploading: say(
        'The server is not responding; trying again',
        'Der Server antwortet nicht; neuer Versuch läuft',
      ),
      starting: say('Starting', 'Wird gestartet'),
      done: say('Sent', 'Gesendet'),
      cancelled: say('Cancelled', 'Abgebrochen'),
      refused: say('Refused', 'Abgelehnt'),
    },
    refusals: {
      empty: say('The file is empty.', 'Die Datei ist leer.'),
      pdf: say(
        'This is a PDF. “forensics analyze FILE.pdf --url ADDRESS” sends the pictures in it.',
        'Die Datei ist ein PDF. Die Bilder darin sendet „forensics analyze DATEI.pdf --url ADRESSE“.',
      ),
      zip: say(
        'This is a ZIP archive or an office document. Extract the pictures and send those.',
        'Das ist ein ZIP-Archiv oder ein Office-Dokument. Holen Sie die Bilder heraus und senden Sie diese.',
      ),
      notPicture: say(
        'This is not a picture in a known format.',
        'Die Datei ist kein Bild in einem bekannten Format.',
      ),
      otherFormat: say(
        'This is not a picture in a format that this server accepts: {formats}.',
        'Die Datei ist kein Bild in einem zulässigen Format ({formats}).',
      ),
      cutOff: say(
        'The file is incomplete: it ends before the picture does. Copy or download it again.',
        'Die Datei ist unvollständig: Sie endet mitten im Bild. Kopieren Sie die Datei noch einmal, oder laden Sie sie erneut herunter.',
      ),
      tooSmall: say(
        'The picture is too small: each side must be at least {minSide} pixels.',
        'Das Bild ist zu klein: Jede Kante muss mindestens {minSide} Pixel lang sein.',
      ),
      tooLarge: say(
        'The picture is too large: each side may be at most {maxSide} pixels.',
        'Das Bild ist zu groß: Jede Kante darf höchstens {maxSide} Pixel lang sein.',
      ),
      tooManyPixels: say(
        'The picture is too large: it may have at most {megapixels} megapixels, and {largestSide} pixels on each side. Reduce a copy to that size and send it, but keep the original.',
        'Das Bild ist zu groß: Es darf höchstens {megapixels} Megapixel haben, jede Kante höchstens {largestSide} Pixel. Verkleinern Sie eine Kopie auf diese Größe und senden Sie sie; bewahren Sie das Original auf.',
      ),
      tooManyBytes: say(
        'The file is too large: at most {megabytes} MB are allowed.',
        'Die Datei ist zu groß: Erlaubt sind höchstens {megabytes} MB.',
      ),
    },
    askOperator: say(
      'Other formats and larger pictures are accepted if the operator sets intake to everything.',
      'Andere Formate und größere Bilder werden angenommen, wenn der Betreiber die Einstellung intake auf everything setzt.',
    ),
    interrupted: say(
      'The server did not respond. Drop the picture again.',
      'Der Server hat nicht geantwortet. Laden Sie das Bild noch einmal hoch.',
    ),
  },
  list: {
    search: say('Search', 'Suchen'),
    searchIn: say('Name, case, comment, tag', 'Name, Fall, Kommentar, Schlagwort'),
    verdict: say('Result', 'Ergebnis'),
    status: say('Status', 'Status'),
    tag: say('Tag', 'Schlagwort'),
    from: say('From', 'Von'),
    to: say('To', 'Bis'),
    any: say('Any', 'Alle'),
    reset: say('Clear filters', 'Filter zurücksetzen'),
    picture: say('Picture', 'Bild'),
    name: say('Name', 'Name'),
    created: say('Created', 'Angelegt'),
    actions: say('Actions', 'Aktionen'),
    results: {
      real: say('No sign found', 'Keine Anzeichen'),
      fake: say('Signs found', 'Anzeichen gefunden'),
      abstain: say('Cannot be judged', 'Nicht beurteilbar'),
      uncertain: say('Undecided', 'Unentschieden'),
    },
    statuses: {
      pending: say('Waiting', 'Wartet'),
      processing: say('Examining', 'Wird untersucht'),
      completed: say('Completed', 'Abgeschlossen'),
      failed: say('Failed', 'Fehlgeschlagen'),
    },
    empty: say('No analyses yet', 'Noch keine Analysen'),
    emptyHint: say(
      'Drop a picture above, or paste one.',
      'Laden Sie oben ein Bild hoch, oder fügen Sie eines ein.',
    ),
    noMatch: say('Nothing matches these filters.', 'Keine Analyse entspricht diesen Filtern.'),
    range: fill('{from}–{to} of {of}', '{from}–{to} von {of}'),
    selectAll: say('Select all on this page', 'Alle auf dieser Seite auswählen'),
    select: fill('Select {name}', '{name} auswählen'),
    selected: fill('{count} selected', '{count} ausgewählt'),
    csv: say('CSV', 'CSV'),
    csvAll: say('Export all (CSV)', 'Alle als CSV'),
    removeTitle: say(
      (count: number) => (count === 1 ? 'Delete this analysis?' : `Delete ${count} analyses?`),
      (count) => (count === 1 ? 'Analyse löschen?' : `${count} Analysen löschen?`),
    ),
    removeHint: say(
      'Deleted analyses disappear from all lists and cases. This cannot be undone.',
      'Gelöschte Analysen verschwinden aus allen Listen und Fällen. Das lässt sich nicht rückgängig machen.',
    ),
    remove: say('Delete', 'Löschen'),
    retry: say('Examine again', 'Erneut untersuchen'),
    upgrade: say('Upgrade to full report', 'Zum Bericht erweitern'),
    cancelRun: say('Cancel and delete', 'Abbrechen und löschen'),
    removed: say(
      (count: number) => (count === 1 ? '1 analysis deleted.' : `${count} analyses deleted.`),
      (count) => (count === 1 ? '1 Analyse gelöscht.' : `${count} Analysen gelöscht.`),
    ),
    of: fill('of {name}', 'von {name}'),
  },
  cases: {
    case: say('Case', 'Fall'),
    title: fill('Case {name}', 'Fall {name}'),
    edit: say('Edit details', 'Bearbeiten'),
    comment: say('Comment', 'Kommentar'),
    examiner: say('Examiner', 'Prüfung durch'),
    printed: say(
      'Case, exhibit and examiner are printed on the reports.',
      'Fall, Asservat und prüfende Person stehen in den Berichten.',
    ),
    empty: say(
      'No pictures in this case yet. Drop some above.',
      'Zu diesem Fall gibt es noch keine Bilder. Laden Sie oben welche hoch.',
    ),
    report: say('Report on this case', 'Bericht zu diesem Fall'),
    comparing: say(
      (open: number): string =>
        `Pictures still to be compared with others: ${open}. The summary and the order may change until this is done.`,
      (open) =>
        `${open === 1 ? '1 Bild wird' : `${open} Bilder werden`} noch mit anderen verglichen. Bis dahin können sich Zusammenfassung und Reihenfolge ändern.`,
    ),
  },
  ...examination,
  ...administration,
};

export const words = { en: speak(phrases, 'en'), de: speak(phrases, 'de') };
export type Words = typeof words.en;
