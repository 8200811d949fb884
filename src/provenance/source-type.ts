/**
 * What a digital source type says about the origin of a picture.
 *
 * @see IPTC NewsCodes, scheme digitalsourcetype (cv.iptc.org/newscodes/digitalsourcetype), retired terms included; C2PA
 * Technical Specification 2.3, on actions, for the type of its own.
 */

import type { DeclaredOrigin } from '../contract/vocabulary.ts';

/**
 * Null where the type names neither a camera nor a trained model: drawings, screenshots, pictures computed by a formula
 * (`algorithmicMedia`), composites whose parts may be anything.
 */
const origins: Readonly<Record<string, DeclaredOrigin | null>> = {
  trainedalgorithmicmedia: 'ai-generated',
  trainedalgorithmicdata: 'ai-generated',
  compositewithtrainedalgorithmicmedia: 'ai-manipulated',
  digitalcapture: 'captured',
  computationalcapture: 'captured',
  negativefilm: 'captured',
  positivefilm: 'captured',
  print: 'captured',
  algorithmicmedia: null,
  algorithmicallyenhanced: null,
  composite: null,
  compositecapture: null,
  compositesynthetic: null,
  datadrivenmedia: null,
  digitalart: null,
  digitalcreation: null,
  humanedits: null,
  minorhumanedits: null,
  screencapture: null,
  softwareimage: null,
  virtualrecording: null,
};

/** The term at the end of an address of one of the two schemes, of `digsrctype:...`, or alone. */
const written =
  /^(?:https?:\/\/(?:cv\.iptc\.org\/newscodes|c2pa\.org)\/digitalsourcetype\/|digsrctype:|c2pa\.)?([A-Za-z]+)\/?$/;

/** What the type declares; null for one that declares neither, and for a text that is no type. */
export function originOfSourceType(type: string | null): DeclaredOrigin | null {
  const term = written.exec(type?.trim() ?? '')?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(origins, term) ? (origins[term] ?? null) : null;
}
