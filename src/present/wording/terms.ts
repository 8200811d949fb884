/** Terms in both languages for what findings and results speak of, as sentences use them. */

import type { Language } from '../../contract/vocabulary.ts';
import { fill, say } from '../text.ts';

// The transformer often confuses these kinds.
const drawn = say(
  'a drawing, diagram or rendering',
  'eine Zeichnung, ein Diagramm oder eine Computergrafik',
);

/** Quotes text from a file, which must not be able to close the quotation and continue as our own text. */
function quoteIn(open: string, close: string) {
  return (text: string) => `${open}${text.replaceAll(/["“”„‟«»]/g, "'")}${close}`;
}

/** Writes a score of 0..1, but never as 0 or 1, which no measurement supports. */
function scoreIn(above: string, below: string, decimal: string) {
  return (score: number) => {
    const capped = Math.min(0.99, Math.max(0.01, score)).toFixed(2).replace('.', decimal);
    if (score >= 0.995) return `${above} ${capped}`;
    return score < 0.005 ? `${below} ${capped}` : capped;
  };
}

function shareIn(least: string, percent: string) {
  return (share: number) => {
    const rounded = Math.round(100 * share);
    return rounded < 1 ? least : `${rounded}${percent}`;
  };
}

type Unit = readonly [one: string, more: string];

/** Writes a number of minutes: up to two hours in minutes, up to two days in hours, then in days. */
function spanIn(minute: Unit, hour: Unit, day: Unit) {
  const write = (length: number, [one, more]: Unit) => {
    const count = Math.round(length);
    return `${count} ${count === 1 ? one : more}`;
  };
  return (minutes: number) => {
    if (minutes < 2 * 60) return write(minutes, minute);
    if (minutes < 2 * 24 * 60) return write(minutes / 60, hour);
    return write(minutes / (24 * 60), day);
  };
}

function listIn(language: Language) {
  return (items: readonly string[]) => new Intl.ListFormat(language).format(items);
}

export const terms = {
  findings: {
    list: say(listIn('en'), listIn('de')),
    quote: say(quoteIn('“', '”'), quoteIn('„', '“')),
    writeScore: say(scoreIn('above', 'below', '.'), scoreIn('über', 'unter', ',')),
    writeShare: say(shareIn('less than 1%', '%'), shareIn('weniger als 1 %', ' %')),
    methods: {
      'trace-network': say('trace network', 'Spurennetz'),
      'picture-size': say('size of the picture', 'Format des Bildes'),
      'photograph-likeness': say('likeness to photographs', 'Ähnlichkeit mit Fotografien'),
      'content-credentials': say('Content Credentials', 'Content Credentials'),
      'declared-origin': say('declared origin', 'Angegebene Herkunft'),
      'named-software': say('software mentioned', 'Genannte Software'),
      'file-consistency': say('consistency of the file', 'Stimmigkeit der Dateiangaben'),
      'compression-tables': say('quantisation tables', 'Quantisierungstabellen'),
      'file-layout': say('layout of the file', 'Aufbau der Datei'),
      'localisation-network': say('localisation network', 'Lokalisierungsnetz'),
      'double-quantisation': say('double quantisation', 'Doppelte Quantisierung'),
      'error-level': say('error level', 'Error Level Analysis (ELA)'),
      'copy-move': say('copied parts', 'Kopierte Teile'),
      'changed-words': say('comparison of words', 'Vergleich der Wörter'),
      thumbnail: say('thumbnail comparison', 'Vergleich mit dem Vorschaubild'),
      // Methods of earlier versions, which stored examinations still name.
      'jpeg-grid': say('JPEG grid', 'JPEG-Raster'),
      'noise-level': say('noise level', 'Rauschpegel'),
      resampling: say('resampling', 'Skalierung oder Drehung'),
    },
    /** Follows "a region". */
    places: {
      almost_everywhere: say('across almost the whole picture', 'fast im ganzen Bild'),
      across_top: say('across the whole width at the top', 'oben über die ganze Breite'),
      across_middle: say(
        'across the whole width in the middle',
        'in der Mitte über die ganze Breite',
      ),
      across_bottom: say('across the whole width at the bottom', 'unten über die ganze Breite'),
      along_left: say('on the left, from top to bottom', 'links über die ganze Höhe'),
      along_middle: say('in the middle, from top to bottom', 'in der Mitte über die ganze Höhe'),
      along_right: say('on the right, from top to bottom', 'rechts über die ganze Höhe'),
      upper_left: say('in the upper left', 'links oben'),
      top: say('at the top', 'oben'),
      upper_right: say('in the upper right', 'rechts oben'),
      left: say('on the left', 'links'),
      middle: say('in the middle', 'in der Mitte'),
      right: say('on the right', 'rechts'),
      lower_left: say('in the lower left', 'links unten'),
      bottom: say('at the bottom', 'unten'),
      lower_right: say('in the lower right', 'rechts unten'),
    },
    /** Follows "in". */
    declarationPlaces: {
      c2pa: say('its Content Credentials', 'den Content Credentials'),
      xmp: say('its XMP data', 'den XMP-Daten'),
      iptc: say('its IPTC data', 'den IPTC-Daten'),
      exif: say('its EXIF data', 'den EXIF-Daten'),
      'png-text': say('a text field of the PNG', 'einem Textfeld des PNG'),
      comment: say('its comment field', 'ihrem Kommentarfeld'),
      pixels: say('text hidden in its pixels', 'einem in den Pixeln verborgenen Text'),
      'visible-mark': say('a visible mark in the picture', 'einem sichtbaren Zeichen im Bild'),
    },
    /** Follows "classes the picture as". */
    pictureKinds: {
      drawing: drawn,
      rendering: drawn,
      screenshot: say('a screenshot', 'ein Bildschirmfoto'),
      page: say('a page of text', 'eine Textseite'),
      chart: drawn,
    },
    /** Data found after the end of a picture. */
    trailingKinds: {
      zip: say('a ZIP archive or office document', 'ein ZIP-Archiv oder Office-Dokument'),
      jpeg: say('a JPEG picture', 'ein JPEG-Bild'),
      png: say('a PNG picture', 'ein PNG-Bild'),
      mp4: say('a video', 'ein Video'),
      pdf: say('a PDF document', 'ein PDF-Dokument'),
      rar: say('a RAR archive', 'ein RAR-Archiv'),
      '7z': say('a 7z archive', 'ein 7z-Archiv'),
      gzip: say('a gzip archive', 'ein gzip-Archiv'),
      executable: say('an executable program', 'ein ausführbares Programm'),
      'samsung-trailer': say('data added by a Samsung phone', 'Zusätze eines Samsung-Smartphones'),
      zeros: say('zeros', 'Nullen'),
      text: say('text', 'Text'),
    },
    stability: {
      outcomes: {
        same: say('on the same side', 'wie zuvor'),
        open: say('undecided', 'unentschieden'),
        other: say('on the other side', 'entgegengesetzt'),
      },
      changes: {
        'jpeg-90': say('saved as JPEG, quality 90', 'als JPEG der Qualität 90 gespeichert'),
        'jpeg-70': say('saved as JPEG, quality 70', 'als JPEG der Qualität 70 gespeichert'),
        'scale-75': say('scaled to 75%', 'auf 75 % verkleinert'),
        'scale-50': say('scaled to 50%', 'auf 50 % verkleinert'),
        'crop-5': say('cropped by 5%', 'um 5 % beschnitten'),
      },
    },
  },
  outcome: {
    /** The outcome in about three words, for a table. */
    short: {
      unstated: say('reason in the report', 'Grund im Bericht'),
      real: say('no part stands out', 'nichts Auffälliges'),
      hinted: say('hint of a change', 'Hinweis auf Veränderung'),
      damaged: say('only damage marked', 'nur Schaden markiert'),
      isolated: say('isolated signs', 'einzelne Anzeichen'),
      blind: say('changes not judged', 'Veränderung nicht beurteilbar'),
      fake: say('traces of generators', 'Generatorspuren'),
      changed: say('a part differs', 'Stelle weicht ab'),
      declared: say('file says so', 'laut Angabe der Datei'),
      too_small: say('too few pixels', 'zu wenige Pixel'),
      too_compressed: say('too much compression', 'zu stark komprimiert'),
      no_usable_trace: say('no measurable traces', 'keine Spuren messbar'),
      not_a_photograph: say('not a photograph', 'keine Fotografie'),
      outside_training_domain: say('unlike tested pictures', 'unbekannte Bildart'),
      margin_within_uncertainty: say('too close to call', 'zu nah an 50 %'),
      evidence_below_threshold: say('evidence too weak', 'Anzeichen zu schwach'),
      unstable_under_resaving: say('unstable when re-saved', 'nicht stabil'),
      declaration_contradicts_traces: say('entry contradicts traces', 'Angabe widerspricht Spuren'),
      manipulation_suspected: say('change suspected', 'Stelle verdächtig'),
      single_weak_method: say('one weak method', 'nur eine Methode'),
    },
    wrong: {
      kindNames: {
        splice: say('parts pasted from another picture', 'Fotomontagen'),
        'copy-move': say('parts copied within the picture', 'Kopien im Bild'),
        removal: say('removed objects', 'entfernten Gegenständen'),
        regenerated: say('parts regenerated by AI', 'mit KI ersetzten Stellen'),
      },
    },
  },
  provenance: {
    declarationsTitle: say('Declared origin', 'Angegebene Herkunft'),
    credentialsTitle: say('Content Credentials (C2PA)', 'Content Credentials (C2PA)'),
    noTrustList: say('none given', 'keine angegeben'),
    moreSteps: fill('… {count} more steps …', '… {count} weitere Schritte …'),
    fileTitle: say('Software, history, points to clarify', 'Software, Verlauf, zu klärende Punkte'),
    inconsistenciesTitle: say('Points to clarify', 'Zu klärende Punkte'),
    writeSpan: say(
      spanIn(['minute', 'minutes'], ['hour', 'hours'], ['day', 'days']),
      spanIn(['Minute', 'Minuten'], ['Stunde', 'Stunden'], ['Tag', 'Tage']),
    ),
    /** Follows "is" and "labelled as". */
    origins: {
      'ai-generated': say('generated by AI', 'von KI erzeugt'),
      'ai-manipulated': say('generated by AI in part', 'zum Teil von KI erzeugt'),
      captured: say('recorded by a device', 'von einem Gerät aufgenommen'),
    },
    software: {
      generator: say('image generator', 'Bildgenerator'),
      editor: say('editing program', 'Bildbearbeitung'),
      camera: say('camera', 'Kamera'),
      firmware: say('firmware of the camera or phone', 'Gerätesoftware'),
      platform: say('platform', 'Plattform'),
      unknown: say('', ''),
    },
    places: {
      c2pa: say('C2PA', 'C2PA'),
      xmp: say('XMP', 'XMP'),
      iptc: say('IPTC', 'IPTC'),
      exif: say('EXIF', 'EXIF'),
      'png-text': say('PNG text', 'PNG-Text'),
      comment: say('comment field', 'Kommentarfeld'),
      pixels: say('in the pixels', 'in den Pixeln'),
      'visible-mark': say('visible mark in the picture', 'sichtbares Zeichen im Bild'),
    },
    /** The actions that C2PA defines and that can change a picture, without `c2pa.`; others are shown unchanged. */
    credentialActions: {
      addedText: say('text added', 'Text eingefügt'),
      adjustedColor: say('colours adjusted', 'Farben angepasst'),
      color_adjustments: say('colours adjusted', 'Farben angepasst'),
      cropped: say('cropped', 'zugeschnitten'),
      deleted: say('part removed', 'Teil entfernt'),
      drawing: say('drawn on', 'hineingezeichnet'),
      edited: say('edited', 'bearbeitet'),
      'edited.metadata': say('metadata edited', 'Metadaten bearbeitet'),
      enhanced: say('enhanced', 'verbessert'),
      filtered: say('filtered', 'gefiltert'),
      orientation: say('rotated', 'gedreht'),
      placed: say('another picture inserted', 'weiteres Bild eingefügt'),
      removed: say('part removed', 'Teil entfernt'),
      resized: say('resized', 'Größe geändert'),
      'resized.proportional': say('resized', 'Größe geändert'),
      unknown: say('unknown step', 'unbekannter Schritt'),
      watermarked: say('watermarked', 'mit Wasserzeichen versehen'),
    },
  },
  strength: {
    /** The verbal scale of the ENFSI guideline; the words stand between "provides" and "support for". */
    adverbs: {
      weak: say('weak', 'schwach'),
      moderate: say('moderate', 'mäßig'),
      moderatelyStrong: say('moderately strong', 'deutlich'),
      strong: say('strong', 'stark'),
      veryStrong: say('very strong', 'sehr stark'),
    },
    cap: {
      sides: {
        fake: {
          own: say('generated pictures', 'KI-erzeugten Bildern'),
          other: say('photographs', 'Fotografien'),
          ofOther: say('of photographs', 'der Fotografien'),
          called: say('generated', 'KI-erzeugt'),
        },
        real: {
          own: say('photographs', 'Fotografien'),
          other: say('generated pictures', 'KI-erzeugten Bildern'),
          ofOther: say('of generated pictures', 'der KI-erzeugten Bilder'),
          called: say('photographs', 'Fotografie'),
        },
      },
    },
    evaluation: {
      tippett: {
        title: say('How good the likelihood ratios are', 'Güte der Likelihood-Quotienten'),
        axis: say('likelihood ratio at least', 'Likelihood-Quotient mindestens'),
        own: say('this picture', 'dieses Bild'),
        titles: {
          generated: say('Generated or recorded', 'Erzeugt oder aufgenommen'),
          changed: say('Changed in part', 'An einer Stelle verändert'),
        },
        names: {
          generated: {
            supporting: say('generated pictures', 'KI-erzeugte Bilder'),
            opposing: say('photographs', 'Fotografien'),
          },
          changed: {
            supporting: say('changed pictures', 'veränderte Bilder'),
            opposing: say('unchanged pictures', 'unveränderte Bilder'),
          },
        },
      },
    },
  },
};
