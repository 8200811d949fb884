/** What an examination could not look at. Silence about these must not be read as an all-clear. */

import type { Bilingual, NotCheckedId, ReasonCode } from '../../contract/vocabulary.ts';
import type { Examined } from '../../engine/result.ts';

interface Gap {
  readonly id: NotCheckedId;
  readonly applies: (examined: Examined) => boolean;
  readonly statement: Bilingual;
}

const always = () => true;

const lostTraces: readonly ReasonCode[] = ['too_compressed', 'no_usable_trace'];

/** Whether the traces of the whole picture led to that, and nothing was found in spite of it. */
function hasLostTraces({ byTraces, reasons, resultClass }: Examined['decision']): boolean {
  const found = byTraces?.reasons ?? reasons;
  return resultClass !== 'fake' && found.some((reason) => lostTraces.includes(reason));
}

const gaps: readonly Gap[] = [
  {
    id: 'invisible_watermarks',
    applies: always,
    statement: {
      en: 'Invisible watermarks such as SynthID were not looked for: they can be read only with their makers’ own detectors, which are not available offline.',
      de: 'Nach unsichtbaren Wasserzeichen wie SynthID wurde nicht gesucht: Sie lassen sich nur mit den Detektoren ihrer Hersteller auslesen, und diese sind ohne Netzverbindung nicht verfügbar.',
    },
  },
  {
    id: 'local_edits',
    applies: ({ manipulation }) => manipulation === null,
    statement: {
      en: 'Edited areas were not sought: parts that were pasted, copied, removed or repainted can remain unnoticed.',
      de: 'Nach bearbeiteten Bildbereichen wurde nicht gesucht: Eingefügte, kopierte, entfernte oder übermalte Teile können unbemerkt bleiben.',
    },
  },
  {
    id: 'small_edits',
    applies: ({ manipulation }) => manipulation !== null,
    statement: {
      en: 'Edited areas were sought, but small ones, and ones whose traces were lost by later saving or scaling, can remain unnoticed.',
      de: 'Nach bearbeiteten Bildbereichen wurde gesucht; kleine und solche, deren Spuren durch späteres Speichern oder Skalieren verloren gingen, können jedoch unbemerkt bleiben.',
    },
  },
  {
    id: 'erased_edits',
    applies: ({ manipulation, decision }) => manipulation !== null && hasLostTraces(decision),
    statement: {
      en: 'In this picture hardly any traces are left by which edited areas could be told; that none was found means little here.',
      de: 'In diesem Bild sind kaum Spuren erhalten, an denen sich bearbeitete Bereiche erkennen ließen; dass keiner gefunden wurde, besagt hier wenig.',
    },
  },
  {
    id: 'camera_reference',
    applies: always,
    statement: {
      en: 'Whether one particular camera took the picture was not examined: comparing sensor noise (PRNU) takes reference pictures from that camera.',
      de: 'Ob eine bestimmte Kamera das Bild aufgenommen hat, wurde nicht untersucht: Ein Vergleich des Sensorrauschens (PRNU) erfordert Referenzbilder dieser Kamera.',
    },
  },
  {
    id: 'recapture',
    applies: always,
    statement: {
      en: 'Whether the camera recorded the scene itself, or a screen or print that shows it, was not examined.',
      de: 'Ob die Kamera die Szene selbst oder nur deren Wiedergabe auf einem Bildschirm oder Abzug aufgenommen hat, wurde nicht untersucht.',
    },
  },
  {
    id: 'content',
    applies: always,
    statement: {
      en: 'Content, lighting, shadows and perspective were not judged, nor was the truth of what the picture is said to show.',
      de: 'Bildinhalt, Beleuchtung, Schatten und Perspektive wurden nicht beurteilt, ebenso wenig, ob das Bild zeigt, was es zeigen soll.',
    },
  },
  {
    id: 'earlier_publication',
    applies: always,
    statement: {
      en: 'No search was made for earlier publications or other versions of the picture (reverse image search).',
      de: 'Nach früheren Veröffentlichungen oder anderen Fassungen des Bildes wurde nicht gesucht (Bilderrückwärtssuche).',
    },
  },
  {
    id: 'metadata_claims',
    applies: ({ facts: { metadata } }) =>
      [metadata.cameraMake, metadata.cameraModel, metadata.takenAt].some((it) => it !== null) ||
      metadata.hasGps,
    statement: {
      en: 'What the file says about device, time and place was not compared with any source outside the file.',
      de: 'Was die Datei über Gerät, Zeit und Ort angibt, wurde mit keiner Quelle außerhalb der Datei verglichen.',
    },
  },
  {
    id: 'remote_credentials',
    applies: ({ provenance }) => provenance.credentials === null,
    statement: {
      en: 'Content Credentials that are kept outside the file, for example on a provider’s server, were not retrieved.',
      de: 'Content Credentials (signierte Herkunftsnachweise), die außerhalb der Datei liegen, etwa auf dem Server eines Anbieters, wurden nicht abgerufen.',
    },
  },
  {
    id: 'signer_trust',
    applies: ({ provenance: { credentials } }) =>
      credentials !== null &&
      credentials.integrity !== 'unreadable' &&
      credentials.trust === 'not-checked',
    statement: {
      en: 'Whether the signer of the Content Credentials can be trusted was not checked: no list of trusted signers was given.',
      de: 'Ob der Unterzeichner der Content Credentials vertrauenswürdig ist, wurde nicht geprüft: Es war keine Liste vertrauenswürdiger Unterzeichner angegeben.',
    },
  },
  {
    id: 'signer_revocation',
    applies: ({ provenance: { credentials } }) =>
      credentials !== null && credentials.integrity !== 'unreadable',
    statement: {
      en: 'Whether the signer’s certificate has been revoked was not checked: that takes a query over the network.',
      de: 'Ob das Zertifikat des Unterzeichners widerrufen wurde, wurde nicht geprüft: Dazu wäre eine Abfrage über das Netz nötig.',
    },
  },
  {
    id: 'stability',
    applies: ({ decision, stability }) =>
      stability === null &&
      decision.basis === 'traces' &&
      (decision.resultClass === 'real' || decision.resultClass === 'fake'),
    statement: {
      en: 'Whether the result holds when the picture is saved, scaled or cropped again was not tested.',
      de: 'Ob das Ergebnis erneutem Speichern, Skalieren oder Beschneiden standhält, wurde nicht geprüft.',
    },
  },
];

export interface NotChecked {
  readonly id: NotCheckedId;
  readonly statement: Bilingual;
}

export function listNotChecked(examined: Examined): readonly NotChecked[] {
  return gaps
    .filter(({ applies }) => applies(examined))
    .map(({ id, statement }) => ({ id, statement }));
}
