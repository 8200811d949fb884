/**
 * Reports what a file declares about its origin without a valid signature: source types, and traces that generators
 * leave in metadata or, as a publicly documented watermark, in the pixels. A generated picture gains nothing from such
 * a declaration, but anyone can add it to an authentic one.
 */

import type { Declaration } from '../provenance/provenance.ts';
import { readSourceType, type SourceType } from '../provenance/source-types.ts';
import {
  type Detector,
  type Finding,
  noWeight,
  type Skipped,
  strengthOfAssurance,
  conventionalWeight,
} from './detector.ts';

export const declaredOrigin: Detector<Finding | Skipped> = {
  method: 'declared-origin',
  examine: ({ picture, provenance }) => {
    const declared = provenance.declarations.filter(
      ({ assurance }) => assurance === 'unsigned' || assurance === 'watermark',
    );
    const generated = declared.filter(({ origin }) => origin !== 'captured');
    const [first] = [...generated, ...declared];
    if (first !== undefined) return toFinding(first, declared.length, generated.length);
    const type = picture.facts.metadata.digitalSourceType;
    return type === null
      ? { method: declaredOrigin.method, reason: 'no_declaration' }
      : otherType(readSourceType(type));
  },
};

function toFinding(first: Declaration, declarations: number, generated: number): Finding {
  const { origin, place, field, generator, assurance } = first;
  return {
    method: declaredOrigin.method,
    ...(generated > 0 ? conventionalWeight('fake', strengthOfAssurance[assurance]) : noWeight),
    statement:
      assurance === 'watermark'
        ? { code: 'watermark_found', values: { generator } }
        : { code: 'origin_declared', values: { origin, place, field, generator } },
    measures: { declarations, ofGeneratedContent: generated },
    source,
  };
}

const source =
  'IPTC NewsCodes, Digital Source Type; GB 45438-2025; formats of the generators themselves; invisible-watermark 0.2.0.';

function otherType(type: SourceType | null): Finding {
  return {
    method: declaredOrigin.method,
    ...noWeight,
    statement: { code: 'source_type_named', values: { type } },
    measures: { declarations: 0, ofGeneratedContent: 0 },
    source,
  };
}

/** Longer lists do not fit into a sentence. */
const maxNames = 5;

export const namedSoftware: Detector<Finding | Skipped> = {
  method: 'named-software',
  examine: ({ provenance: { software } }) => {
    const { method } = namedSoftware;
    if (software.length === 0) return { method, reason: 'no_software_named' };
    const named = software.slice(0, maxNames).map(({ kind, name }) => ({ kind, name }));
    return {
      method,
      ...noWeight,
      statement: { code: 'software_named', values: { software: named } },
      measures: { names: software.length },
      source: 'CIPA DC-008 (Exif); Adobe XMP specification; C2PA Technical Specification 2.3.',
    };
  },
};
