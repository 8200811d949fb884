import type { verdict as english } from '../en/verdict.ts';

export const verdict: typeof english = {
  summary: {
    decided: [
      (adverb, side) => `Der Befund spricht ${adverb} für ${side}.`,
      (adverb, side) => `In der Gesamtschau spricht der Befund ${adverb} für ${side}.`,
      (adverb, side) => `Nach dem Untersuchungsergebnis spricht der Befund ${adverb} für ${side}.`,
    ],
    pointing: [
      (side) => `Der Befund deutet auf ${side} hin; wie stark, lässt sich nicht angeben.`,
      (side) =>
        `Der Befund deutet auf ${side} hin; die gemessenen Fehlerraten erlauben keine Aussage darüber, wie stark.`,
    ],
    sides: {
      real: 'eine fotografische Aufnahme',
      fake: 'ein KI-erzeugtes Bild',
      changed: 'eine Veränderung in einem Teil des Bildes',
    },
    declared: [
      (origin) => `In der Datei ist angegeben, dass ihr Inhalt ${origin} wurde.`,
      (origin) => `Nach den Angaben in der Datei wurde ihr Inhalt ${origin}.`,
    ],
    generator: (name) => `Genannt wird ${name}.`,
    probability: [
      (p, deviation) =>
        `Die Wahrscheinlichkeit, dass das Bild KI-erzeugt ist, wird auf ${p} geschätzt (Unsicherheit ${deviation}).`,
      (p, deviation) =>
        `Die kalibrierte Schätzung der Wahrscheinlichkeit, dass das Bild KI-erzeugt ist, beträgt ${p} (Unsicherheit ${deviation}).`,
    ],
    kinds: {
      'ai-generated': 'Spuren dieser Art entstehen, wenn eine KI das ganze Bild erzeugt.',
      'ai-manipulated':
        'Spuren dieser Art entstehen, wenn eine KI einzelne Bildbereiche verändert.',
      manipulated:
        'Spuren dieser Art entstehen, wenn ein Teil des Bildes verändert wird, ob durch herkömmliche Bildbearbeitung oder durch KI.',
    },
    kindUnknown:
      'Auf welche Art das Bild erzeugt oder verändert wurde, lässt der Befund nicht erkennen.',
    abstain: [
      'Die Untersuchung erlaubt keine Aussage darüber, ob das Bild echt ist.',
      'Ob das Bild echt ist, kann diese Untersuchung nicht klären.',
    ],
    uncertain: [
      'Der Befund reicht nicht aus, um zu entscheiden, ob das Bild echt oder aber KI-erzeugt oder verändert ist.',
      'Der Befund lässt keine Entscheidung zwischen einem echten und einem KI-erzeugten oder veränderten Bild zu.',
    ],
    suspected:
      'Das reicht nicht aus, um das Bild als verändert einzustufen, doch „keine Anzeichen“ wäre ebenfalls falsch.',
    neutral: [
      'Dieses Ergebnis spricht weder für noch gegen die Echtheit des Bildes.',
      'Für oder gegen die Echtheit des Bildes lässt sich daraus nichts ableiten.',
    ],
  },
  reasons: {
    too_small: {
      what: 'Das Bild hat weniger Pixel, als das Verfahren mindestens braucht.',
      help: 'das Bild in voller Originalauflösung statt einer Vorschau oder eines Ausschnitts',
    },
    too_compressed: {
      what: 'Die verlustbehaftete Kompression hat die feinen Spuren beseitigt, an denen sich eine Kameraaufnahme von einem KI-erzeugten oder veränderten Bild unterscheiden lässt.',
      help: 'eine frühere, weniger stark komprimierte Fassung, am besten die Datei, wie sie zuerst von der Kamera oder vom Programm gespeichert wurde, denn über Messenger und soziale Netzwerke verbreitete Kopien sind meist erneut komprimiert',
    },
    no_usable_trace: {
      what: 'Spuren einer Kamera, eines KI-Generators oder einer Veränderung sind nicht in messbarer Stärke erhalten; auch eine vorhandene Veränderung wäre nicht zu erkennen. Häufige Ursachen sind Verkleinern, Weichzeichnen und mehrfaches Speichern.',
      help: 'eine Datei aus einem früheren Stadium, vom Aufnahmegerät oder von der Stelle, die das Bild zuerst veröffentlicht hat',
    },
    not_a_photograph: {
      what: 'Das Programm hält das Bild nicht für eine Fotografie. Das Verfahren wurde nur an Fotografien und an KI-erzeugten Bildern geprüft, die wie Fotografien aussehen; bei allem anderen besagen seine Werte nichts.',
      help: 'falls das Bild eine Fotografie zeigt, etwa innerhalb eines Bildschirmfotos, diese Fotografie selbst als Datei',
    },
    outside_training_domain: {
      what: 'Das Bild gleicht keinem der Bilder, mit denen das Verfahren trainiert wurde. Auf seine Werte ist hier kein Verlass.',
      help: 'Vergleichsbilder aus derselben Quelle oder vom selben Gerät sowie eine Untersuchung mit anderen Verfahren',
    },
    margin_within_uncertainty: {
      what: 'Gemessen an der Streuung wiederholter Durchläufe des Modells liegt das Ergebnis zu nah an der Grenze zwischen den beiden Klassen; der Zufall könnte den Ausschlag geben.',
      help: 'das Original oder eine seltener verarbeitete Fassung, weil darin die Spuren stärker sind und die Werte weniger streuen',
    },
    evidence_below_threshold: {
      what: 'Der Likelihood-Quotient zwischen Fotografie und KI-erzeugtem Bild ist für eine Entscheidung zu niedrig.',
      help: 'weitere Anhaltspunkte wie die Herkunft des Bildes, andere Bilder desselben Motivs oder das Aufnahmegerät sowie, falls vorhanden, die Originaldatei',
    },
    unstable_under_resaving: {
      what: 'Nach Änderungen, wie sie jedes weitergegebene Bild erfährt, etwa erneutem Speichern, Skalieren oder Beschneiden, sprechen die Werte für das Gegenteil. Ein Ergebnis, das sich dadurch umkehrt, ist nicht belastbar.',
      help: 'eine Kopie, die seltener gespeichert und skaliert wurde',
    },
    declaration_contradicts_traces: {
      what: 'Laut Datei ist das Bild KI-erzeugt, doch die Spuren passen besser zu einer Fotografie. Solange kein vertrauenswürdiger Unterzeichner für die Angabe bürgt, bleibt dieser Widerspruch offen. Jeder kann eine solche Angabe in eine Datei schreiben, und das Verfahren hält manches KI-erzeugte Bild für eine Fotografie.',
      help: 'die Datei aus dem Gerät oder Konto, von dem sie stammen soll, sowie Angaben dazu, wer seither Zugriff auf sie hatte',
    },
    manipulation_suspected: {
      what: 'Die Befunde der Methoden, die nach veränderten Stellen suchen, begründen den Verdacht einer Veränderung, reichen aber nicht aus, um das Bild als verändert einzustufen. Als unauffällig gilt es aber auch nicht.',
      help: 'die Datei, wie die Kamera sie zuerst gespeichert hat, um beide Stelle für Stelle zu vergleichen',
    },
    single_weak_method: {
      what: 'Von den Methoden, die nach veränderten Stellen suchen, spricht nur eine für eine Veränderung, und auch sie nur schwach; es kann ein Fehlalarm sein.',
      help: 'eine sachverständige Person, die sich die bezeichnete Stelle im Bild selbst ansieht, sowie eine Kopie, die seltener gespeichert und skaliert wurde und in der andere Methoden mehr finden könnten',
    },
  },
  needed: (real, fake) =>
    `Bei dieser Bildgröße entscheidet das Verfahren erst ab ${real} für eine Fotografie oder ab ${fake} für ein KI-erzeugtes Bild.`,
  onlySuspected: {
    small:
      'In Bildern mit weniger als 65.536 Pixeln lässt sich eine Veränderung nicht belegen, sondern höchstens vermuten.',
    damaged:
      'Die Datei ist unvollständig oder beschädigt, und fehlende Teile können wie eine Veränderung wirken; in einer solchen Datei wird eine Veränderung höchstens vermutet.',
  },
  strategies: {
    pedantic: 'streng (pedantic: entscheidet am seltensten)',
    default: 'ausgewogen (default)',
    relaxed: 'großzügig (relaxed: entscheidet am häufigsten)',
  },
  conclusion: {
    real: 'Das Ergebnis spricht gegen ein KI-erzeugtes Bild. Endgültig geklärt ist damit nicht, ob KI das Bild erzeugt hat oder ein Teil verändert wurde. Auch eine unveränderte Fotografie kann mit falschen Angaben verbreitet werden oder einen Bildschirm oder Abzug zeigen.',
    fake: 'Das Ergebnis gibt Anlass zu Nachforschungen, rechtfertigt aber allein keine Entscheidung zulasten einer Person: Das Verfahren hält auch manche Fotografien für KI-erzeugt; wer dieses Bild erstellt hat und warum, bleibt offen.',
    changed:
      'Das Ergebnis gibt Anlass zu Nachforschungen, rechtfertigt aber allein keine Entscheidung zulasten einer Person: Es kann falsch sein, und auch nicht markierte Stellen können verändert sein; wer was verändert hat und warum, bleibt offen.',
    declared:
      'Das Ergebnis stützt sich auf die Angabe in der Datei und ist nicht verlässlicher als sie; wer das Bild erstellt hat und warum, bleibt offen.',
    agreeing:
      'Das Ergebnis beruht auf der Angabe in der Datei, und die Spuren sprechen ebenfalls dafür; wer das Bild erstellt hat und warum, bleibt offen.',
    suspected:
      'Der Verdacht gibt Anlass, das Original anzufordern, genügt aber nicht als Grundlage einer Entscheidung. Auch nicht markierte Stellen können verändert sein.',
    uncertain: 'Die Befunde erlauben keine Entscheidung.',
    abstain:
      'Aus dem Ergebnis lässt sich nichts ableiten, weder für noch gegen die Echtheit des Bildes.',
    help: 'Weiterhelfen würde:',
    duty: [
      'Das Ergebnis ist ein Indiz unter mehreren und ersetzt nicht die Bewertung durch eine sachverständige Person.',
      'Das Ergebnis ist ein Indiz unter mehreren; die Bewertung bleibt der sachverständigen Person überlassen.',
    ],
  },
};
