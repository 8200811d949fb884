import type { sourceTypes as english } from '../en/source-types.ts';

export const sourceTypes: typeof english = {
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
