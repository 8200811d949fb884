/**
 * What signed content credentials say. Integrity and trust are two facts: a signature that fits tells that nobody changed
 * the file since, a trusted signer tells whose word it is. A declaration whose signature does not fit is left to
 * `declared-origin`.
 */

import type { ContentCredentials, Declaration } from '../provenance/provenance.ts';
import { originWords, quoted, type Wording } from './declarations.ts';
import {
  type Detector,
  type Finding,
  noWeight,
  type Skipped,
  strengthOfAssurance,
  type Weight,
  weightOf,
} from './detector.ts';

export const contentCredentials: Detector<Finding | Skipped> = {
  method: 'content-credentials',
  examine: ({ provenance: { credentials, declarations } }) => {
    if (credentials === null) return { method: contentCredentials.method, reason: absent };
    const declared = declarations.filter(
      ({ place, assurance }) => place === 'c2pa' && assurance !== 'unsigned',
    );
    return toFinding(credentials, declared);
  },
};

const absent = {
  en: 'The file carries no content credentials (C2PA); most files carry none, so that says nothing.',
  de: 'Die Datei trägt keine Herkunftsnachweise (Content Credentials, C2PA); das gilt für die meisten Dateien und sagt nichts aus.',
};

function toFinding(credentials: ContentCredentials, declared: readonly Declaration[]): Finding {
  const { integrity, trust, manifests, actions } = credentials;
  // Generated content is told before a capture: both may be declared, of the whole and of a part.
  const told = declared.find(({ origin }) => origin !== 'captured') ?? declared[0];
  return {
    method: contentCredentials.method,
    ...(integrity === 'valid' && told !== undefined ? weigh(told, credentials) : noWeight),
    statement: stateOf(credentials, told),
    measures: {
      isValid: integrity === 'valid' ? 1 : 0,
      isTrusted: trust === 'trusted' ? 1 : 0,
      manifests,
      actions: actions.length,
    },
    source: 'C2PA Technical Specification 2.3; IPTC NewsCodes, Digital Source Type.',
  };
}

/** A trusted capture is moderate at most: a screen or a print can be photographed. */
function weigh({ origin, assurance }: Declaration, credentials: ContentCredentials): Weight {
  if (origin !== 'captured') return weightOf('fake', strengthOfAssurance[assurance]);
  const isUntouched = assurance === 'trusted' && editOf(credentials) === null;
  return isUntouched ? weightOf('real', 'moderate') : noWeight;
}

/** Actions of the specification that leave what a picture shows as it was. */
const harmlessActions: ReadonlySet<string> = new Set(
  [
    ['created', 'opened', 'converted', 'repackaged', 'transcoded', 'published'],
    ['adjustedColor', 'color_adjustments', 'cropped', 'resized', 'resized.proportional'],
    ['orientation', 'edited.metadata', 'watermarked', 'watermarked.bound', 'watermarked.unbound'],
  ]
    .flat()
    .map((name) => `c2pa.${name}`),
);

/** The first step that may have changed what the picture shows; null when there was none. */
function editOf({ actions }: ContentCredentials): string | null {
  return actions.find(({ action }) => !harmlessActions.has(action))?.action ?? null;
}

function stateOf(credentials: ContentCredentials, told: Declaration | undefined): Wording {
  const { integrity } = credentials;
  if (integrity === 'unreadable') return unreadable;
  const by = signedBy(credentials);
  if (integrity === 'broken') return broken(by);
  return told === undefined ? silent(by) : declaring(credentials, told, by);
}

const unreadable = {
  en: 'The file carries content credentials (C2PA) that cannot be read; they speak neither for nor against the picture.',
  de: 'Die Datei trägt Herkunftsnachweise (Content Credentials, C2PA), die sich nicht lesen lassen; sie sprechen weder für noch gegen das Bild.',
};

function signedBy({ signer }: ContentCredentials): Wording {
  if (signer === null) return { en: 'an unnamed signer', de: 'einem ungenannten Unterzeichner' };
  return quoted(signer);
}

function broken(by: Wording): Wording {
  return {
    en: `The file carries content credentials (C2PA) signed by ${by.en}, but it is not what was signed: it was changed afterwards, by an edit or merely by being saved anew.`,
    de: `Die Datei trägt von ${by.de} signierte Herkunftsnachweise (Content Credentials, C2PA), ist aber nicht mehr das, was signiert wurde: Sie wurde danach verändert, durch eine Bearbeitung oder schon durch erneutes Speichern.`,
  };
}

function silent(by: Wording): Wording {
  return {
    en: `Content credentials (C2PA) signed by ${by.en} fit the file; they declare neither a capture nor generated content.`,
    de: `Von ${by.de} signierte Herkunftsnachweise (Content Credentials, C2PA) passen zur Datei; sie nennen weder eine Aufnahme noch erzeugte Inhalte.`,
  };
}

function declaring(
  credentials: ContentCredentials,
  { origin, generator, assurance }: Declaration,
  by: Wording,
): Wording {
  const what = originWords[origin];
  const maker = generator === null ? { en: '', de: '' } : quoted(generator);
  const rest = worthOf(credentials, origin, assurance);
  return {
    en: `Content credentials (C2PA) signed by ${by.en} fit the file and declare it ${what.en}${maker.en && ` (${maker.en})`}; ${rest.en}`,
    de: `Von ${by.de} signierte Herkunftsnachweise (Content Credentials, C2PA) passen zur Datei und bezeichnen sie als ${what.de}${maker.de && ` (${maker.de})`}; ${rest.de}`,
  };
}

/** How far the statement goes, by who vouches for it. */
function worthOf(
  credentials: ContentCredentials,
  origin: Declaration['origin'],
  assurance: Declaration['assurance'],
): Wording {
  if (assurance !== 'trusted') return doubted(credentials);
  if (origin !== 'captured') return vouched;
  const edit = editOf(credentials);
  return edit === null ? vouchedCapture : editedCapture(quoted(edit));
}

const vouched = {
  en: 'the signer is on the trust list.',
  de: 'der Unterzeichner steht auf der Vertrauensliste.',
};

const vouchedCapture = {
  en: 'the signer is on the trust list. A screen or a print can be captured all the same.',
  de: 'der Unterzeichner steht auf der Vertrauensliste. Auch ein Bildschirm oder ein Abzug lässt sich aufnehmen.',
};

function editedCapture(edit: Wording): Wording {
  return {
    en: `the signer is on the trust list. But they also list a later step that may have changed what it shows (${edit.en}), so the capture speaks for neither side.`,
    de: `der Unterzeichner steht auf der Vertrauensliste. Sie führen aber auch einen späteren Schritt auf, der das Gezeigte verändert haben kann (${edit.de}); daher spricht die Aufnahme für keine Seite.`,
  };
}

/** The signer of a part of the history may be meant as well. */
function doubted({ trust }: ContentCredentials): Wording {
  if (trust === 'not-checked') {
    return {
      en: 'without a trust list nobody vouches for the signer, and anybody can sign this.',
      de: 'ohne Vertrauensliste bürgt niemand für den Unterzeichner, und jeder kann so signieren.',
    };
  }
  return {
    en: 'not everybody who signed is on the trust list, and anybody can sign this.',
    de: 'nicht jeder Unterzeichner steht auf der Vertrauensliste, und jeder kann so signieren.',
  };
}
