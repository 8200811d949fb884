import { speak } from '../../text.ts';
import { terms } from '../terms.ts';
import type { ContentCredentials } from '../../../contract/provenance.ts';
import type { Flaw, provenance as english } from '../en/provenance.ts';

const sourceTypes: English['sourceTypes'] = {
  trainedAlgorithmicMedia: 'von einem trainierten Modell erzeugt (generative KI)',
  trainedAlgorithmicData: 'Daten eines trainierten Modells (generative KI)',
  compositeWithTrainedAlgorithmicMedia:
    'zum Teil von einem trainierten Modell erzeugt oder bearbeitet (generative KI)',
  digitalCapture: 'Aufnahme einer realen Szene mit einer Digitalkamera',
  computationalCapture:
    'Aufnahme einer realen Szene, in der Kamera aus mehreren Belichtungen oder Sensoren errechnet',
  negativeFilm: 'von einem Filmnegativ digitalisiert',
  positiveFilm: 'von einem Dia oder anderen Filmpositiv digitalisiert',
  print: 'von einem Abzug oder einer anderen Vorlage auf Papier digitalisiert',
  algorithmicMedia: 'durch eine Formel oder ein Programm berechnet, ohne trainiertes Modell',
  algorithmicallyEnhanced: 'ein von einem Programm verbessertes Bild',
  composite: 'aus mehreren Bildern oder Elementen beliebiger Art zusammengesetzt',
  compositeCapture: 'aus mehreren Aufnahmen realer Szenen zusammengesetzt',
  compositeSynthetic:
    'aus mehreren Elementen zusammengesetzt, von denen mindestens eines synthetisch ist',
  dataDrivenMedia: 'aus Daten erstellt, etwa ein Diagramm oder eine Karte',
  digitalArt: 'von einem Menschen mit digitalen Werkzeugen geschaffene Kunst',
  digitalCreation: 'von einem Menschen mit digitalen Werkzeugen ohne generative KI geschaffen',
  humanEdits: 'ein Bild, das ein Mensch mit Werkzeugen ohne generative KI bearbeitet hat',
  minorHumanEdits:
    'ein von einem Menschen geringfügig bearbeitetes Bild, etwa durch Zuschnitt oder Farbkorrektur',
  screenCapture: 'ein Bildschirmfoto oder eine Bildschirmaufzeichnung',
  softwareImage: 'von Software erzeugt, etwa gerendert oder gezeichnet',
  virtualRecording: 'in einer virtuellen Szene aufgenommen, etwa in einem Spiel',
};

type English = typeof english;

const { places, writeSpan } = speak(terms.provenance, 'de');

const inconsistencies: English['inconsistencies'] = {
  modified_after_capture: ({ minutes }) =>
    `Nach den Angaben in der Datei wurde sie zuletzt ${writeSpan(minutes)} nach der Aufnahme gespeichert.`,
  created_after_modified: ({ minutes }) =>
    `Nach den Angaben in der Datei wurde sie zuletzt ${writeSpan(minutes)} vor der Aufnahme gespeichert.`,
  time_in_future: () => 'Die Datei nennt einen Zeitpunkt in der Zukunft.',
  exif_size_differs: ({ stated, stored }) =>
    `Laut Kameradaten (EXIF) hat das Bild ${stated} Pixel; die Datei enthält ${stored}: Das Bild wurde skaliert oder beschnitten, nachdem diese Daten geschrieben waren.`,
  thumbnail_shape_differs: () =>
    'Das Vorschaubild in den Kameradaten (EXIF) hat ein anderes Seitenverhältnis als das Bild: Das Bild wurde beschnitten oder gedreht, nachdem das Vorschaubild erstellt war.',
  thumbnail_content_differs: () =>
    'Das Vorschaubild in den Kameradaten (EXIF) zeigt nicht dasselbe wie das Bild: Eines von beiden wurde ausgetauscht oder verändert.',
  camera_tags_without_camera_tables: ({ program }) =>
    `Die Datei nennt eine Kamera, enthält aber die Quantisierungstabellen eines Programms (${program}): Das Bild wurde neu gespeichert.`,
  maker_note_missing_for_camera: () =>
    'Die Herstellerdaten (MakerNote), die Kameras des genannten Herstellers immer schreiben, fehlen: Die Kameradaten wurden neu geschrieben oder stammen nicht von der Kamera.',
  xmp_history_of_editing: ({ steps, last }) =>
    `Die Datei enthält einen Bearbeitungsverlauf (XMP) mit ${steps === 1 ? 'einem Schritt, in dem' : `${steps} Schritten, in denen`} sie umgewandelt oder gespeichert wurde${last === null ? '' : `, zuletzt mit ${last.software}${last.when === null ? '' : ` (${writeDay(last.when)})`}`}.`,
  gps_time_differs: ({ minutes }) =>
    `GPS-Zeit und Aufnahmezeit liegen ${writeSpan(minutes)} auseinander, mehr als Zeitzonen erklären können.`,
};

/** The date of a time in ISO 8601; any other text is left unchanged. */
function writeDay(time: string): string {
  return time.slice(0, 10).replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$3.$2.$1');
}

const briefFlaws: Readonly<Record<Flaw, string>> = {
  test: 'anscheinend mit einem Testzertifikat, das niemanden ausweist',
  expired: 'sein Zertifikat ist inzwischen abgelaufen',
  ingredient: 'ein Bestandteil wurde verändert',
  untimed: 'ohne Zeitstempel',
};

const briefTrust: Readonly<Record<ContentCredentials['trust'], string>> = {
  trusted: 'Unterzeichner auf der Vertrauensliste',
  untrusted: 'Unterzeichner nicht bestätigt (nicht auf der Vertrauensliste)',
  'not-checked': 'Unterzeichner nicht bestätigt (ohne Abgleich mit einer Vertrauensliste)',
};

const warnings: English['warnings'] = {
  texts_cut: ({ place, characters }) =>
    `${places[place]}: Lange Texte wurden nach ${characters} Zeichen abgeschnitten.`,
  entries_cut: ({ place, entries }) =>
    `${places[place]}: Nur die ersten ${entries} Einträge wurden übernommen.`,
  block_too_large: ({ place, bytes }) =>
    `${places[place]}: Der Block von ${bytes} Byte ist zu groß und wurde nicht gelesen.`,
  block_unreadable: ({ place }) => `${places[place]}: Der Block enthält nichts Lesbares.`,
  block_read_in_part: ({ place }) =>
    `${places[place]}: Der Block ist beschädigt oder zu lang; nur ein Teil ließ sich lesen.`,
  extended_xmp_incomplete: () =>
    'XMP: Vom erweiterten Teil fehlen Segmente; die übrigen wurden gelesen.',
  extended_xmp_differs: () =>
    'XMP: Der erweiterte Teil passt nicht zu seiner Prüfsumme oder ist nicht der, auf den die Datei verweist; gelesen wurde er trotzdem.',
  extended_xmp_not_read: () => 'XMP: Der erweiterte Teil wurde nicht gelesen.',
  png_chunks_cut: () => 'PNG: Nur die ersten Metadatenblöcke wurden gelesen.',
  png_text_not_inflated: ({ keyword }) =>
    `PNG: Der komprimierte Text „${keyword}“ ist beschädigt oder zu groß und wurde nicht gelesen.`,
  thumbnail_unreadable: () => 'Das Vorschaubild in den EXIF-Daten lässt sich nicht decodieren.',
  credentials_elsewhere: () =>
    'Die Datei verweist auf Content Credentials, die anderswo liegen; sie wurden nicht abgerufen.',
  credentials_removed: () =>
    'Die Datei verweist auf eingebettete Content Credentials, die nicht mehr vorhanden sind: Sie wurden entfernt, wie es die meisten Programme und Dienste beim Speichern tun.',
  not_read_by_earlier_version: () =>
    'Eine frühere Version des Programms hat die Datei untersucht; sie las diese Angaben noch nicht.',
};

export const provenance: English = {
  intro:
    'Das sind die Angaben in der Datei. Sofern keine geprüfte Signatur etwas anderes belegt, kann jeder diese Angaben hineingeschrieben haben: den Namen einer Kamera in ein KI-erzeugtes Bild ebenso wie den eines Generators in eine Fotografie. Mit falschen Angaben ist daher stets zu rechnen; aus fehlenden folgt nichts.',
  noDeclaration: 'Die Datei macht keine Angabe darüber, wie ihr Inhalt entstanden ist.',
  columns: ['Angabe', 'Ort', 'Wortlaut in der Datei', 'Bestätigt durch'],
  sourceTypes,
  assurances: {
    unsigned: 'niemanden',
    watermark: 'ein Zeichen in den Pixeln, das jeder dort anbringen kann',
    signed: 'einen Unterzeichner, für den niemand bürgt',
    trusted: 'einen Unterzeichner auf der Vertrauensliste',
  },
  noCredentials: 'Die Datei enthält keine Content Credentials (signierte Herkunftsangaben).',
  integrity: {
    valid: 'unversehrt: Signatur und Prüfsummen passen zu den Bytes dieser Datei',
    broken: 'verletzt: Datei oder Content Credentials wurden nach dem Signieren verändert',
    unreadable: 'nicht feststellbar: Die Content Credentials sind nicht lesbar',
  },
  trust: {
    trusted: 'der Unterzeichner steht auf der Vertrauensliste',
    untrusted: 'der Unterzeichner steht nicht auf der Vertrauensliste',
    'not-checked': 'nicht geprüft: Es wurde keine Vertrauensliste angegeben',
  },
  identityStates: {
    trusted: 'geprüft',
    signed: 'die Signatur ist gültig, doch keine Stelle bürgt für den Unterzeichner',
    broken: 'die Signatur passt nicht',
    'not-verified': 'nicht geprüft: Dazu wäre eine Netzverbindung nötig',
  },
  trustListDate: {
    undated: 'Die Liste enthält kein Datum',
    since: (day) =>
      `Die Liste enthält kein Datum; sie stammt frühestens vom ${day}, an dem ihr neuestes Zertifikat gültig wurde`,
  },
  missing: {
    validity: 'gültiges Zertifikat (das vorhandene ist abgelaufen)',
    timestamp: 'Zeitstempel eines Zeitstempeldienstes',
    trustList: 'Vertrauensliste, auf der der Unterzeichner möglicherweise steht',
    revocation: 'Nachweis, dass das Zertifikat nicht widerrufen wurde',
    identity: 'benannte Person oder Organisation (CAWG-Identität)',
  },
  disclosure:
    'Artikel 50 der Verordnung (EU) 2024/1689 (KI-Verordnung) verpflichtet Anbieter, KI-erzeugte Inhalte maschinenlesbar zu kennzeichnen (Absatz 2), und Betreiber, Deepfakes offenzulegen (Absatz 4). Die Datei trägt eine Angabe, die als solche Kennzeichnung dienen kann. Ob die Pflicht besteht und ob sie dort erfüllt wurde, wo das Bild gezeigt wurde, sind Rechtsfragen, die dieser Bericht nicht beantwortet.',
  timestamp: {
    present: 'vorhanden und gültig',
    absent: 'keiner: Der Zeitpunkt ist eine Angabe des Unterzeichners',
  },
  credentialsNote:
    'Unversehrtheit und Vertrauenswürdigkeit sind zweierlei: Signieren kann jeder, auch unter fremdem Namen; erst die Vertrauensliste zeigt, wessen Name geprüft wurde.',
  brief: {
    credentials: ({ integrity, signer, trust }, flaws) => {
      if (integrity === 'unreadable') return 'nicht lesbare Content Credentials (C2PA)';
      const by =
        signer === null
          ? 'von einem ungenannten Unterzeichner'
          : trust === 'trusted'
            ? `von ${signer}`
            : `unter dem Namen ${signer}`;
      const test = flaws.includes('test') ? ` (${briefFlaws.test})` : '';
      return integrity === 'broken'
        ? `Content Credentials (C2PA), signiert ${by}${test}, doch die Datei passt nicht mehr dazu (das kann schon am erneuten Speichern liegen)`
        : `Content Credentials (C2PA), signiert ${by}, Datei seither unverändert; ${[briefTrust[trust], ...flaws.map((flaw) => briefFlaws[flaw])].join('; ')}`;
    },
    declares: (origin, place) => `${origin} (Angabe in ${place})`,
    noCredentials: 'keine Content Credentials (signierte Herkunftsangaben, C2PA)',
    edits: (steps) => `angegebene Schritte: ${steps}`,
    editors: (names, more) =>
      `${names.length === 1 ? 'Bearbeitungsprogramm' : 'Bearbeitungsprogramme'} ${names.join(', ')}${more === 0 ? '' : ` und ${more} weitere`}`,
    generators: (names) =>
      `${names.length === 1 ? 'Bildgenerator' : 'Bildgeneratoren'} ${names.join(', ')}`,
    history: (steps, last) =>
      `Bearbeitungsverlauf mit ${steps === 1 ? 'einem Schritt' : `${steps} Schritten`}${last === '' ? '' : `, zuletzt mit ${last}`}`,
    camera: (name) => `Kamera ${name}`,
  },
  historyActions: {
    created: 'erstellt',
    copied: 'kopiert',
    converted: 'umgewandelt',
    cropped: 'zugeschnitten',
    derived: 'abgeleitet',
    edited: 'bearbeitet',
    filtered: 'gefiltert',
    formatted: 'formatiert',
    managed: 'verwaltet',
    printed: 'gedruckt',
    produced: 'hergestellt',
    published: 'veröffentlicht',
    resized: 'skaliert',
    saved: 'gespeichert',
    version_updated: 'neue Version angelegt',
  },
  warnings,
  inconsistenciesNote: 'Keiner davon belegt eine Veränderung; jeder wirft eine Frage auf.',
  noInconsistencies: 'Von den geprüften trifft keiner zu.',
  inconsistencies,
};
