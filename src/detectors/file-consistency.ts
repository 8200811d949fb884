/**
 * Checks whether the fields of a file agree with each other. A contradiction raises a question but hardly ever proves
 * anything.
 */

import {
  type Detector,
  type Finding,
  noWeight,
  type Skipped,
  conventionalWeight,
} from './detector.ts';

export const fileConsistency: Detector<Finding | Skipped> = {
  method: 'file-consistency',
  examine: ({ picture: { facts }, provenance: { inconsistencies } }) => {
    const { method } = fileConsistency;
    const { exif, xmp } = facts.metadata;
    const isBare = Object.keys(exif).length + Object.keys(xmp).length === 0;
    if (isBare && inconsistencies.length === 0) return { method, reason: 'no_metadata' };
    const isOtherContent = inconsistencies.some(({ code }) => code === 'thumbnail_content_differs');
    return {
      method,
      ...(isOtherContent ? conventionalWeight('fake', 'weak') : noWeight),
      statement:
        inconsistencies.length === 0
          ? { code: 'records_agree', values: {} }
          : {
              code: 'records_contradict',
              values: { codes: inconsistencies.map(({ code }) => code) },
            },
      measures: { contradictions: inconsistencies.length },
      source:
        'CIPA DC-008 (Exif); Kee and Farid, "Digital image authentication from thumbnails", SPIE 2010.',
    };
  },
};
