/** The terms with which a file declares how its picture was made. */

import type { DeclaredOrigin } from '../contract/vocabulary.ts';

/**
 * What each term declares; null if it means neither a camera nor a trained model: drawings, screenshots, pictures
 * computed by a formula (`algorithmicMedia`), composites of arbitrary parts.
 *
 * @see IPTC NewsCodes, scheme digitalsourcetype (cv.iptc.org/newscodes/digitalsourcetype), including retired terms;
 *   C2PA Technical Specification 2.3, on actions, for its own term, `trainedAlgorithmicData`.
 */
const origins = {
  trainedAlgorithmicMedia: 'ai-generated',
  trainedAlgorithmicData: 'ai-generated',
  compositeWithTrainedAlgorithmicMedia: 'ai-manipulated',
  digitalCapture: 'captured',
  computationalCapture: 'captured',
  negativeFilm: 'captured',
  positiveFilm: 'captured',
  print: 'captured',
  algorithmicMedia: null,
  algorithmicallyEnhanced: null,
  composite: null,
  compositeCapture: null,
  compositeSynthetic: null,
  dataDrivenMedia: null,
  digitalArt: null,
  digitalCreation: null,
  humanEdits: null,
  minorHumanEdits: null,
  screenCapture: null,
  softwareImage: null,
  virtualRecording: null,
} as const satisfies Readonly<Record<string, DeclaredOrigin | null>>;

export type SourceType = keyof typeof origins;

const types = Object.keys(origins).filter((type): type is SourceType => type in origins);

/** Matches the term at the end of a URI of either scheme, after `digsrctype:`, or on its own. */
const written =
  /^(?:https?:\/\/(?:cv\.iptc\.org\/newscodes|c2pa\.org)\/digitalsourcetype\/|digsrctype:|c2pa\.)?([A-Za-z]+)\/?$/;

export function readSourceType(text: string | null): SourceType | null {
  const term = written.exec(text?.trim() ?? '')?.[1]?.toLowerCase();
  return types.find((type) => type.toLowerCase() === term) ?? null;
}

/** What the type declares; null if it is unknown, or declares neither origin. */
export function originOfSourceType(text: string | null): DeclaredOrigin | null {
  const type = readSourceType(text);
  return type === null ? null : origins[type];
}
