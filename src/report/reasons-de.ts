import type { Reason } from './phrases.ts';
import type { ReasonCode } from '../contract/vocabulary.ts';

export const reasonsDe: Readonly<Record<ReasonCode, Reason>> = {
  too_small: {
    short: 'das Bild ist zu klein',
    what: 'Das Bild hat zu wenige Bildpunkte: Nicht ein einziger Bildausschnitt der Größe, die das Modell auswertet, passt hinein.',
    help: 'das Bild in voller Originalauflösung statt einer Vorschau oder eines Ausschnitts',
  },
  too_compressed: {
    short: 'das Bild ist zu stark komprimiert',
    what: 'Die verlustbehaftete Kompression hat die feinen Spuren getilgt, an denen sich eine Kameraaufnahme von einem erzeugten oder veränderten Bild unterscheiden lässt.',
    help: 'eine frühere, weniger stark komprimierte Fassung, am besten die Datei, wie sie zuerst von der Kamera oder vom Programm gespeichert wurde, denn über Messenger und soziale Netzwerke verbreitete Kopien sind meist erneut komprimiert',
  },
  no_usable_trace: {
    short: 'es sind keine auswertbaren Spuren erhalten',
    what: 'Weder Spuren einer Kamera noch Spuren einer Erzeugung oder Veränderung sind in messbarer Stärke vorhanden. Häufige Ursachen sind Verkleinern, Weichzeichnen und mehrfaches Speichern.',
    help: 'eine Datei aus einem früheren Stadium, vom Aufnahmegerät oder von der Stelle, die das Bild zuerst veröffentlicht hat',
  },
  not_a_photograph: {
    short: 'das Bild ist anscheinend keine Fotografie',
    what: 'Das Bild ähnelt eher einer Zeichnung, einem Bildschirmfoto, einem Scan oder einer Grafik als einer Fotografie. Das Verfahren ist nur für Fotografien validiert.',
    help: 'falls das Bild eine Fotografie zeigt, etwa innerhalb eines Bildschirmfotos, diese Fotografie selbst als Datei',
  },
  outside_training_domain: {
    short: 'das Bild liegt außerhalb des Bereichs, für den das Modell validiert ist',
    what: 'Die Spuren weichen von allem ab, woran das Modell gelernt hat. Auf seine Werte ist bei solchen Bildern kein Verlass.',
    help: 'Vergleichsbilder aus derselben Quelle oder vom selben Gerät sowie eine Untersuchung mit anderen Verfahren',
  },
  margin_within_uncertainty: {
    short: 'der Abstand zur Entscheidungsgrenze liegt innerhalb der Messunsicherheit',
    what: 'Gemessen an der Streuung wiederholter Durchläufe des Modells liegt das Ergebnis zu nah an der Grenze zwischen den beiden Klassen. Der Zufall hätte den Ausschlag geben können.',
    help: 'eine Fassung, die dem Original näher ist, weil deren Spuren stärker sind und weniger streuen',
  },
  evidence_below_threshold: {
    short: 'der Befund ist für die gewählte Entscheidungsstrategie zu schwach',
    what: 'Die geschätzte Wahrscheinlichkeit liegt zwischen den beiden Schwellen der gewählten Entscheidungsstrategie: zu niedrig für das Ergebnis „fake“, zu hoch für das Ergebnis „real“.',
    help: 'weitere Anhaltspunkte wie die Herkunft des Bildes, andere Bilder desselben Ereignisses oder das Aufnahmegerät sowie, falls vorhanden, die Originaldatei',
  },
  unstable_under_resaving: {
    short: 'das Ergebnis hält erneutem Speichern oder Skalieren nicht stand',
    what: 'Nach Änderungen, die jedes geteilte Bild durchläuft, etwa erneutem Speichern, Skalieren oder Beschneiden, weisen die Werte auf die andere Seite. Ein Ergebnis, das dem nicht standhält, stützt sich auf zu wenig.',
    help: 'eine näher am Original liegende Kopie, die seltener gespeichert und skaliert wurde',
  },
  declaration_contradicts_traces: {
    short: 'die Angaben der Datei und die Spuren im Bild widersprechen sich',
    what: 'Die Datei weist sich selbst als erzeugt aus, doch keine vertrauenswürdige Stelle hat diese Angabe signiert, und die Spuren im Bild sprechen für eine Kamera. Eine solche Angabe kann jeder in eine Datei schreiben, etwa um ein echtes Foto in Verruf zu bringen.',
    help: 'die Datei, wie sie auf dem Gerät oder in dem Konto liegt, von dem sie stammen soll, sowie Angaben dazu, durch wessen Hände sie seither gegangen ist',
  },
  manipulation_suspected: {
    short: 'es gibt Anzeichen dafür, dass ein Teil des Bildes verändert wurde',
    what: 'Die Methoden, die nach veränderten Stellen suchen, sehen Anzeichen einer Veränderung, doch zu schwache für das Ergebnis „fake“. Auf „real“ wird deshalb ebenfalls nicht entschieden.',
    help: 'die Datei, wie die Kamera sie zuerst gespeichert hat, um sie Stelle für Stelle mit dieser zu vergleichen',
  },
  single_weak_method: {
    short: 'nur eine einzige Methode spricht für eine Veränderung, und das schwach',
    what: 'Von den Methoden, die nach veränderten Stellen suchen, spricht nur eine für eine Veränderung, und das schwach. Keine andere stützt sie, sie kann sich also irren.',
    help: 'eine sachverständige Person, die sich die bezeichnete Stelle im Bild selbst ansieht, sowie eine Kopie, die seltener gespeichert und skaliert wurde und in der andere Methoden mehr sehen könnten',
  },
};
