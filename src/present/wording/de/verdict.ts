import type { verdict as english } from '../en/verdict.ts';

export const verdict: typeof english = {
  reasons: {
    too_small: 'Das Bild hat weniger Pixel, als das Verfahren mindestens braucht.',
    too_compressed:
      'Die verlustbehaftete Kompression hat die feinen Spuren beseitigt, an denen sich eine Kameraaufnahme von einem KI-erzeugten oder veränderten Bild unterscheiden lässt.',
    no_usable_trace:
      'Spuren einer Kamera, eines KI-Generators oder einer Veränderung sind nicht in messbarer Stärke erhalten; auch eine vorhandene Veränderung wäre nicht zu erkennen. Häufige Ursachen sind Verkleinern, Weichzeichnen und mehrfaches Speichern.',
    not_a_photograph:
      'Das Programm hält das Bild nicht für eine Fotografie. Das Verfahren wurde nur an Fotografien und an KI-erzeugten Bildern geprüft, die wie Fotografien aussehen; bei allem anderen besagen seine Werte nichts.',
    outside_training_domain:
      'Das Bild gleicht keinem der Bilder, mit denen das Verfahren trainiert wurde. Auf seine Werte ist hier kein Verlass.',
    margin_within_uncertainty:
      'Gemessen an der Streuung wiederholter Durchläufe des Modells liegt das Ergebnis zu nah an der Grenze zwischen den beiden Klassen; der Zufall könnte den Ausschlag geben.',
    evidence_below_threshold:
      'Der Likelihood-Quotient zwischen Fotografie und KI-erzeugtem Bild ist für eine Entscheidung zu niedrig.',
    unstable_under_resaving:
      'Nach Änderungen, wie sie jedes weitergegebene Bild erfährt, etwa erneutem Speichern, Skalieren oder Beschneiden, sprechen die Werte für das Gegenteil. Ein Ergebnis, das sich dadurch umkehrt, ist nicht belastbar.',
    declaration_contradicts_traces:
      'Laut Datei ist das Bild KI-erzeugt, doch die Spuren passen besser zu einer Fotografie. Solange kein vertrauenswürdiger Unterzeichner für die Angabe bürgt, bleibt dieser Widerspruch offen. Jeder kann eine solche Angabe in eine Datei schreiben, und das Verfahren hält manches KI-erzeugte Bild für eine Fotografie.',
    manipulation_suspected:
      'Die Befunde der Methoden, die nach veränderten Stellen suchen, begründen den Verdacht einer Veränderung, reichen aber nicht aus, um das Bild als verändert einzustufen. Als unauffällig gilt es aber auch nicht.',
    single_weak_method:
      'Von den Methoden, die nach veränderten Stellen suchen, spricht nur eine für eine Veränderung, und auch sie nur schwach; es kann ein Fehlalarm sein.',
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
    duty: [
      'Das Ergebnis ist ein Indiz unter mehreren und ersetzt nicht die Bewertung durch eine sachverständige Person.',
      'Das Ergebnis ist ein Indiz unter mehreren; die Bewertung bleibt der sachverständigen Person überlassen.',
    ],
  },
};
