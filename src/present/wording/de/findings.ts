import type { Copies, CredentialVouching } from '../../../detectors/statements.ts';
import { capitalised, kept, nameIn, speak, withDetails } from '../../text.ts';
import type { findings as english } from '../en/findings.ts';
import { terms } from '../terms.ts';
import { provenance } from './provenance.ts';

type English = typeof english;

const {
  declarationPlaces,
  list,
  pictureKinds,
  places,
  quote,
  trailingKinds,
  writeScore,
  writeShare,
} = speak(terms.findings, 'de');
const { origins, software: softwareKinds } = speak(terms.provenance, 'de');

const contradictions: English['contradictions'] = {
  modified_after_capture: 'ein Speicherdatum nach der Aufnahme',
  created_after_modified: 'ein Speicherdatum vor der Aufnahme',
  time_in_future: 'ein Zeitpunkt in der Zukunft',
  exif_size_differs:
    'eine abweichende Bildgröße in den EXIF-Daten (wie nach Skalieren oder Zuschneiden)',
  thumbnail_shape_differs: 'ein Vorschaubild mit anderem Seitenverhältnis',
  thumbnail_content_differs: 'ein Vorschaubild, das etwas anderes zeigt',
  camera_tags_without_camera_tables:
    'ein Kameraname trotz der Quantisierungstabellen eines Programms',
  maker_note_missing_for_camera: 'fehlende Herstellerdaten (MakerNote)',
  xmp_history_of_editing: 'ein Bearbeitungsverlauf',
  gps_time_differs: 'eine abweichende GPS-Zeit',
};

const writers: English['writers'] = {
  cameras: 'Smartphones und Kameras schreiben solche Dateien',
  others: 'keine Kamera fügt so etwas an; es muss auf anderem Weg hineingekommen sein',
  anything: 'Kameras, Programme und Dienste hinterlassen solche Daten',
};

function inBrackets(name: string | null): string {
  return name === null ? '' : ` (${quote(name)})`;
}

/** Follows „von“. */
function writeSigner(signer: string | null): string {
  return signer === null ? 'einem ungenannten Unterzeichner' : quote(signer);
}

const vouchings: English['vouchings'] = {
  trusted_signer: 'der Unterzeichner steht auf der Vertrauensliste.',
  trusted_capture:
    'der Unterzeichner steht auf der Vertrauensliste. Allerdings lässt sich auch ein Bildschirm oder ein Abzug abfotografieren.',
  no_trust_list:
    'ein Abgleich mit einer Vertrauensliste fand nicht statt; jeder kann unter diesem Namen signiert haben.',
  unlisted_signer:
    'mindestens ein Unterzeichner steht nicht auf der Vertrauensliste, und jeder kann unter diesem Namen signieren.',
};

function writeVouching(vouching: CredentialVouching): string {
  if (vouching.by !== 'edited_capture') return vouchings[vouching.by];
  return `der Unterzeichner steht auf der Vertrauensliste. Die Angaben nennen aber auch einen späteren Schritt, der das Gezeigte verändert haben kann (${quote(vouching.edit)}); die Angabe, dass es sich um eine Aufnahme handelt, spricht daher weder für noch gegen eine Veränderung.`;
}

function writeTrailing(bytes: number, kind: string | null): string {
  const what = nameIn(trailingKinds, kind ?? '', 'Daten unbekannter Art');
  const follow = bytes === 1 ? 'folgt 1' : `folgen ${bytes.toLocaleString('de')}`;
  return `nach dem Bildende ${follow} Byte (${what})`;
}

function writeCopies({ place, otherPlace, pairs = 1 }: Copies): string {
  const apart = `einer ${places[place]} und einer ${places[otherPlace]},`;
  const where = place === otherPlace ? `beide ${places[place]},` : apart;
  const told = ` (das auffälligste von ${pairs} solchen Paaren; die Karte der Methode zeigt alle)`;
  const more = pairs > 1 ? told : '';
  return `Zwei Bereiche${more}, ${where}`;
}

/** „, einer um 30 Grad gedreht und 1,2-mal so groß wie der andere“, or nothing. */
function writeMotion({ isMirrored, turnDegrees, factor }: Copies): string {
  const told = kept([
    isMirrored ? 'gespiegelt' : turnDegrees > 0 && `um ${turnDegrees} Grad gedreht`,
    factor > 1 && `${factor.toFixed(1).replace('.', ',')}-mal so breit und hoch wie der andere`,
  ]);
  return told.length === 0 ? '' : `, einer ${told.join(' und ')}`;
}

const statements: English['statements'] = {
  generated_with_probability: ({ probability }) =>
    `Ein mit Fotografien und KI-erzeugten Bildern trainiertes neuronales Netz bewertet die Spuren auf einer Skala von 0 (Fotografie) bis 1 (KI-erzeugt) mit ${writeScore(probability)}.`,

  size_of_generators: ({ width, height, isScaled, ratio, generated, photographs }) => {
    const size = `${width.toLocaleString('de')} × ${height.toLocaleString('de')} Pixel`;
    const used = isScaled
      ? 'Formate mit diesem und ähnlichen Seitenverhältnissen'
      : 'dieses und ähnliche Formate';
    return `Das Bild misst ${size}. Bildgeneratoren verwenden ${used}; sie kommen in ${generated.found} der ${generated.of} Quellen KI-erzeugter Bilder vor, die für dieses Programm gesammelt wurden, und in ${photographs.found || 'keiner'} der ${photographs.of} Quellen von Fotografien. Jeder kann eine Fotografie auf ein solches Format bringen; daher ist der Likelihood-Quotient auf nur ${ratio} festgelegt.`;
  },

  photograph: () => 'Kanten und Flächen sind mit einer Fotografie vereinbar.',
  one_flat_area: () =>
    'Das Bild besteht aus einer einzigen gleichmäßigen Fläche und enthält nichts, woran eine Fotografie zu erkennen wäre.',
  drawing: () =>
    'Scharfe Kanten liegen neben völlig gleichmäßigen Flächen. Das Programm hält das Bild daher nicht für eine Fotografie, sondern für eine Zeichnung, ein Diagramm, eine Textseite oder ein Bildschirmfoto; es kann sich irren.',
  looks_like: ({ kind }) =>
    `Das Programm hält das Bild nicht für eine Fotografie, sondern für ${pictureKinds[kind]}: Ein mit beidem trainiertes neuronales Netz ordnet es nach dem Gesamteindruck so ein; es kann sich irren.`,

  credentials_unreadable: () =>
    'Die Datei enthält Herkunftsangaben (Content Credentials, C2PA), die sich nicht lesen lassen; daraus folgt nichts, weder für noch gegen die Echtheit des Bildes.',
  credentials_broken: ({ signer }) =>
    `Die Datei enthält von ${writeSigner(signer)} signierte Herkunftsangaben (Content Credentials, C2PA), ist aber nicht mehr das, was signiert wurde: Sie wurde danach verändert, durch eine Bearbeitung oder schon durch erneutes Speichern.`,
  credentials_without_origin: ({ signer }) =>
    `Von ${writeSigner(signer)} signierte Herkunftsangaben (Content Credentials, C2PA) passen zur Datei; sie nennen weder eine Aufnahme noch KI-erzeugte Inhalte.`,
  credentials_declare_origin: ({ signer, origin, generator, vouching }) =>
    `Von ${writeSigner(signer)} signierte Herkunftsangaben (Content Credentials, C2PA) passen zur Datei und bezeichnen sie als ${origins[origin]}${inBrackets(generator)}; ${writeVouching(vouching)}`,

  origin_declared: ({ origin, place, field, generator }) =>
    `Die Datei ist in ${declarationPlaces[place]} (Feld ${quote(field)}) als ${origins[origin]}${inBrackets(generator)} gekennzeichnet; keine vertrauenswürdige Signatur bestätigt das, jeder kann es hineingeschrieben haben.`,
  watermark_found: ({ generator }) =>
    `Die Pixel enthalten das quelloffene unsichtbare Wasserzeichen von ${quote(generator ?? 'einem Generator')}: Seine veröffentlichte Nachricht ließ sich auslesen. Es entsteht nicht zufällig, doch jeder kann es einbetten.`,
  visible_mark_found: ({ generator }) =>
    `Das Bild zeigt unten rechts das Zeichen, mit dem ${quote(generator ?? 'ein Generator')} seine Bilder versieht. Jeder kann es in ein Bild setzen.`,
  source_type_of_neither_side: () =>
    'Die Datei nennt einen digitalen Quelltyp, der weder eine Kamera noch ein trainiertes Modell bezeichnet.',
  source_type_named: ({ type }) =>
    type === null
      ? 'Die Datei nennt einen digitalen Quelltyp (Digital Source Type), der im IPTC-Vokabular nicht vorkommt.'
      : `Die Datei nennt den digitalen Quelltyp ${quote(type)}: ${provenance.sourceTypes[type]}. Er bezeichnet weder eine Kamera noch ein trainiertes Modell.`,
  software_named: ({ software }) => {
    const names = list(
      software.map(({ kind, name }) => withDetails(quote(name), [softwareKinds[kind]])),
    );
    return `Die Datei nennt ${names}. Solche Namen kann jeder eintragen; was mit dem Bild geschah, zeigen sie nicht.`;
  },

  records_contradict: ({ codes }) =>
    `Die Angaben in der Datei werfen Fragen auf: ${list(codes.map((code) => contradictions[code]))}. Eine Veränderung des Bildes muss das nicht bedeuten.`,
  records_agree: () =>
    'Die Angaben in der Datei zu Zeiten, Größen und Vorschaubild widersprechen einander nicht. Das beweist nichts, denn Metadaten lassen sich umschreiben.',
  tables_of_libjpeg: ({ quality }) =>
    `Die Quantisierungstabellen sind die Standardtabellen für Qualität ${quality}, wie sie die meisten Programme und Dienste und manche Kameras verwenden.`,
  tables_of_program: ({ name }) =>
    `Die Quantisierungstabellen sind die von ${name}: Ein Programm hat das Bild gespeichert, keine Kamera.`,
  tables_of_their_own: () =>
    'Die Quantisierungstabellen sind keine Standardtabellen; viele Kameras und manche Programme verwenden eigene.',
  more_in_file: ({ trailingBytes, trailingKind, furtherPictures, writtenBy }) => {
    const further =
      furtherPictures === 1 ? 'ein weiteres Bild' : `${furtherPictures} weitere Bilder`;
    const parts = kept([
      trailingBytes > 0 && writeTrailing(trailingBytes, trailingKind),
      furtherPictures > 0 && `die Datei enthält ${further}`,
      writers[writtenBy],
    ]);
    return `${capitalised(parts.join('; '))}.`;
  },

  region_processed_apart: ({ place }) =>
    `Ein mit veränderten Bildern trainiertes neuronales Netz markiert einen Bereich ${places[place]}: Die Spuren der Verarbeitung weichen dort vom Rest ab.`,
  changed_nowhere: () =>
    'Ein mit veränderten Bildern trainiertes neuronales Netz findet keinen Bereich, der stärker vom Rest abweicht als in unveränderten Bildern üblich.',
  changed_somewhere: () =>
    'Ein mit veränderten Bildern trainiertes neuronales Netz stuft das Bild als verändert ein, kann die veränderte Stelle aber nicht angeben.',

  copies: (copies) =>
    `${writeCopies(copies)} gleichen einander wie Original und Kopie${writeMotion(copies)}; welcher von beiden die Kopie wäre, geht daraus allein nicht hervor.`,
  copies_or_repetition: (copies) =>
    `${writeCopies(copies)} gleichen sich${writeMotion(copies)}, wie es bei Kopien der Fall ist, aber auch bei Gegenständen, die mehrfach vorkommen.`,
  repeats_throughout: () =>
    'Viele Stellen des Bildes gleichen einander, wie Fenster, Fliesen oder gedruckte Buchstaben. Eine kopierte Stelle fiele darunter nicht auf.',
  no_copies: () =>
    'Keine zwei Bereiche des Bildes gleichen einander so sehr, dass einer eine Kopie des anderen sein muss.',
  no_copies_where_compared: ({ comparedShare }) => {
    const about = comparedShare < 0.005 ? '' : 'etwa ';
    return `In dem Teil des Bildes, der für einen Vergleich genug Struktur hat (${about}${writeShare(comparedShare)}), gleichen keine zwei Bereiche einander so sehr, dass einer eine Kopie des anderen sein muss; eine Kopie im Rest bliebe unbemerkt.`;
  },

  word_stands_out: ({ place, wrongly, unchanged }) =>
    `Ein Wort oder eine Zahl ${places[place]} weicht in Rauschen, Schärfe oder Speicherspuren von ähnlichen Wörtern ab, wie es bei nachträglich eingesetzten vorkommt. Der Aufdruck eines anderen Geräts kann ebenso auffallen: In Tests hatten ${wrongly} von ${unchanged} unveränderten Dokumenten ein solches Wort.`,
  words_agree: () =>
    'Kein Wort weicht von ähnlichen Wörtern stärker ab, als es auf unveränderten Seiten üblich ist.',

  region_saved_once: ({ place }) =>
    `Eine frühere Fassung des Bildes wurde als JPEG gespeichert; ein Bereich ${places[place]} zeigt davon aber keine Spur. Das kommt vor, wenn ein Teil danach eingefügt oder retuschiert wird.`,
  saved_twice: () =>
    'Das Bild wurde schon früher mindestens einmal als JPEG gespeichert, und kein Bereich weicht in dieser Hinsicht ab.',

  thumbnail_differs: ({ place }) =>
    `Das Vorschaubild in der Datei zeigt in einem Bereich ${places[place]} etwas anderes als das Bild.`,
  thumbnail_lacks_strip: ({ share }) =>
    `Das Vorschaubild in der Datei weicht nur in einem Streifen am Rand vom Bild ab (${writeShare(share)} des Bildes). Das beweist nichts: Kameras, die dort das Datum einblenden, haben das Vorschaubild dann schon erstellt.`,
  thumbnail_agrees: () =>
    'Das Vorschaubild in der Datei stimmt überall mit dem Bild überein. Das beweist nichts, denn Programme erstellen oft ein neues.',

  error_level_shown: () =>
    'Die ELA-Karte (Error Level Analysis) zeigt, wo ein weiteres Speichern als JPEG das Bild am stärksten verändern würde. Sie dient nur der Veranschaulichung und geht nicht in das Ergebnis ein: Feine Strukturen, Kanten und früheres Speichern wirken sich darin ebenso aus wie Veränderungen.',
};

const skips: English['skips'] = {
  no_credentials:
    'Die Datei enthält keine Herkunftsangaben (Content Credentials, C2PA). Das gilt für die meisten Dateien und sagt nichts aus.',
  no_declaration:
    'Die Datei macht keine Angabe über ihre Herkunft. Das gilt für die meisten Dateien und sagt nichts aus.',
  no_software_named:
    'Die Datei nennt kein Programm und keine Kamera. Online-Dienste entfernen die Namen oft; das sagt also nichts aus.',
  no_metadata:
    'Die Datei enthält keine Metadaten, die einander widersprechen könnten. Online-Dienste entfernen sie oft; das sagt also nichts aus.',
  no_quantisation_tables:
    'Nicht anwendbar: Dies ist eine {format}-Datei; nur JPEG-Dateien haben Quantisierungstabellen.',
  size_of_no_generator: 'Kein für Bildgeneratoren typisches Format; das besagt nichts.',
  nothing_else_in_file: 'Die Datei enthält ein Bild und sonst nichts.',
  too_small_for_drawings:
    'In einem so kleinen Bild lässt sich eine Zeichnung nicht von einer Fotografie unterscheiden.',
  no_localisation_network: 'Es wurde kein Lokalisierungsnetz eingesetzt.',
  too_small_for_copies: 'Für eine Suche nach doppelt vorkommenden Teilen ist das Bild zu klein.',
  too_smooth_for_copies:
    'Das Bild ist zu gleichförmig: Ein kopierter Teil ließe sich nicht von anderen unterscheiden.',
  too_few_words: 'Das Bild enthält zu wenige Wörter, als dass eines davon auffallen könnte.',
  too_few_blocks:
    'Das Bild hat zu wenige Blöcke von 8 × 8 Pixeln; ob es einmal oder zweimal als JPEG gespeichert wurde, lässt sich daher nicht erkennen.',
  no_earlier_grid: 'Die Pixel zeigen kein Raster einer früheren JPEG-Speicherung.',
  no_earlier_save:
    'Eine frühere JPEG-Speicherung ist nicht nachweisbar: Entweder gab es keine, oder die letzte Kompression war zu stark, oder das Bild wurde dazwischen skaliert oder beschnitten.',
  thumbnail_missing:
    'Die Datei enthält kein Vorschaubild. Online-Dienste entfernen es oft; das sagt also nichts aus.',
  thumbnail_unreadable: 'Das Vorschaubild in der Datei ist nicht lesbar.',
  thumbnail_of_other_shape:
    'Das Vorschaubild hat ein anderes Seitenverhältnis als das Bild; ein Vergleich Stelle für Stelle ist daher nicht möglich.',
  thumbnail_too_even:
    'Das Vorschaubild oder das Bild ist für einen Vergleich Stelle für Stelle zu gleichförmig.',
  thumbnail_of_other_content:
    'Das Vorschaubild zeigt etwas ganz anderes; einzelne Stellen lassen sich nicht vergleichen.',
};

const sources: English['sources'] = {
  'Network trained for this program (see the model card); spread after Gal and Ghahramani, "Dropout as a Bayesian approximation", ICML 2016.':
    'Für dieses Programm trainiertes neuronales Netz (siehe Modellbeschreibung); Streuung nach Gal und Ghahramani, „Dropout as a Bayesian approximation“, ICML 2016.',
  'Network trained for this program (see its model card); map, confidence and score after Guillaro et al., "TruFor: Leveraging all-round clues for trustworthy image forgery detection and localization", CVPR 2023.':
    'Für dieses Programm trainiertes neuronales Netz (siehe Modellbeschreibung); Karte, Konfidenz und Wert nach Guillaro u. a., „TruFor: Leveraging all-round clues for trustworthy image forgery detection and localization“, CVPR 2023.',
  'Cozzolino, Poggi and Verdoliva, "Efficient dense-field copy-move forgery detection", IEEE Transactions on Information Forensics and Security 10 (2015), with other descriptors; the weights are fitted for this program.':
    'Cozzolino, Poggi und Verdoliva, „Efficient dense-field copy-move forgery detection“, IEEE Transactions on Information Forensics and Security 10 (2015), mit anderen Deskriptoren; die Gewichte wurden für dieses Programm bestimmt.',
  'Krawetz, "A Picture’s Worth: Digital Image Analysis and Forensics", Black Hat Briefings USA (2007); here computed on the DCT coefficients of luma and set in relation to local texture.':
    'Krawetz, „A Picture’s Worth: Digital Image Analysis and Forensics“, Black Hat Briefings USA (2007); hier aus den DCT-Koeffizienten der Helligkeit berechnet und ins Verhältnis zur örtlichen Struktur gesetzt.',
  'Lin, He, Tang and Tang, "Fast, automatic and fine-grained tampered JPEG image detection via DCT coefficient analysis", Pattern Recognition 42 (2009); Bianchi and Piva, "Image Forgery Localization via Block-Grained Analysis of JPEG Artifacts", IEEE Transactions on Information Forensics and Security 7 (2012).':
    'Lin, He, Tang und Tang, „Fast, automatic and fine-grained tampered JPEG image detection via DCT coefficient analysis“, Pattern Recognition 42 (2009); Bianchi und Piva, „Image Forgery Localization via Block-Grained Analysis of JPEG Artifacts“, IEEE Transactions on Information Forensics and Security 7 (2012).',
  'Kee and Farid, "Digital image authentication from thumbnails", SPIE Media Forensics and Security, 2010.':
    'Kee und Farid, „Digital image authentication from thumbnails“, SPIE Media Forensics and Security, 2010.',
  'ITU-T T.81 (1992), Annex K; Kornblum, "Using JPEG quantization tables to identify imagery processed by software", Digital Investigation 5 (2008).':
    'ITU-T T.81 (1992), Anhang K; Kornblum, „Using JPEG quantization tables to identify imagery processed by software“, Digital Investigation 5 (2008).',
  'Measures and decision trees of this program, fitted on changed and untouched documents.':
    'Messwerte und Entscheidungsbäume dieses Programms, angepasst an veränderte und unveränderte Dokumente.',
  'Block statistics of this program, fitted on drawn pictures and photographs.':
    'Blockstatistik dieses Programms, bestimmt an Zeichnungen und Fotografien.',
  'Block statistics of this program, fitted on drawn pictures and photographs; the vision transformer of the model (see the model card).':
    'Blockstatistik dieses Programms, bestimmt an Zeichnungen und Fotografien; der Vision Transformer des Modells (siehe Modellbeschreibung).',
  'IPTC NewsCodes, Digital Source Type; GB 45438-2025; formats of the generators themselves.':
    'IPTC NewsCodes, Digital Source Type; GB 45438-2025; Formate der Generatoren selbst.',
};

const changedPart: English['changedPart'] = {
  marked: (share, place, p) =>
    `Die Methoden, die nach veränderten Stellen suchen, markieren einen Bereich von ${share} des Bildes, ${place}; die Wahrscheinlichkeit, dass ein Teil verändert wurde, schätzen sie zusammen auf ${p}.`,
  markedSeveral: (numbered, p) =>
    `Die Methoden, die nach veränderten Stellen suchen, markieren mehrere Stellen (${numbered}); die Wahrscheinlichkeit, dass ein Teil verändert wurde, schätzen sie zusammen auf ${p}.`,
  unmarked: (p) =>
    `Die Methoden, die nach veränderten Stellen suchen, markieren in der Zusammenschau keinen Bereich; die Wahrscheinlichkeit, dass ein Teil verändert wurde, schätzen sie auf ${p}.`,
};

const stability: English['stability'] = {
  summary: ({ same, open, other, low, high }) => {
    const range = low === high ? `bei ${low}` : `zwischen ${low} und ${high}`;
    const tried = same + open + other;
    if (same === tried)
      return `Zur Probe wurde das Bild auf ${tried} Arten erneut gespeichert, skaliert oder beschnitten: Jedes Mal weisen die Spuren des ganzen Bildes weiterhin in dieselbe Richtung; die Wahrscheinlichkeit, dass es KI-erzeugt ist, liegt dann ${range}.`;
    const told = kept([
      same > 0 && `weisen in ${same} dieser Fälle weiterhin in dieselbe Richtung`,
      open > 0 && `bleiben in ${open} dieser Fälle unentschieden`,
      other > 0 && `weisen in ${other} dieser Fälle in die andere Richtung`,
    ]);
    return `Zur Probe wurde das Bild auf ${tried} Arten erneut gespeichert, skaliert oder beschnitten. Die Spuren des ganzen Bildes ${list(told)}; die Wahrscheinlichkeit, dass es KI-erzeugt ist, liegt dann ${range}.`;
  },
};

export const findings: English = {
  statements,
  skips,
  sources,
  contradictions,
  writers,
  vouchings,
  changedPart,
  stability,
};
