/** Generators that are known by fixed contents of fixed fields: Midjourney, FLUX, Google, Grok. */

import type { ForeignText, ForeignTexts } from '../foreign-texts.ts';
import type { Recognised } from './recognise.ts';

export function recogniseSignedFields(texts: ForeignTexts): readonly Recognised[] {
  return [
    ...recogniseMidjourney(texts),
    ...recogniseFlux(texts),
    ...recogniseGoogle(texts),
    ...recogniseGrok(texts),
  ];
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** The prompt with its options, and at its very end the job: `a harbour --ar 3:2 --v 6.1 Job ID: <UUID>`. */
const midjourneyJob = new RegExp(`\\s--[a-z]+\\b.*\\sJob ID: ${uuid}$`, 'is');

function recogniseMidjourney(texts: ForeignTexts): readonly Recognised[] {
  return texts
    .of('Description', 'ImageDescription', 'description')
    .filter(({ text }) => midjourneyJob.test(text.trimEnd().slice(-2000)))
    .map((text) => ({ text, origin: 'ai-generated', generator: 'Midjourney' }));
}

/** Black Forest Labs' own program writes its name as the maker of the camera. */
function recogniseFlux(texts: ForeignTexts): readonly Recognised[] {
  const isMaker = texts.of('Make').some(({ text }) => text.startsWith('Black Forest Labs'));
  if (!isMaker) return [];
  return texts
    .of('Software')
    .filter(({ text }) => text.startsWith('AI generated;'))
    .map((text) => ({
      text,
      origin: /;(?:fill|inpaint)/.test(text.text) ? 'ai-manipulated' : 'ai-generated',
      generator: 'FLUX (Black Forest Labs)',
    }));
}

/** The whole credit line, as IPTC or XMP. */
function recogniseGoogle(texts: ForeignTexts): readonly Recognised[] {
  return texts.of('Credit').flatMap((text): readonly Recognised[] => {
    if (text.text === 'Made with Google AI') {
      return [{ text, origin: 'ai-generated', generator: 'Google AI' }];
    }
    if (text.text !== 'Edited with Google AI') return [];
    return [{ text, origin: 'ai-manipulated', generator: 'Google AI' }];
  });
}

/** A signature of 64 bytes or more as the description, and a UUID as the artist. */
function recogniseGrok(texts: ForeignTexts): readonly Recognised[] {
  const isArtist = new RegExp(`^${uuid}$`, 'i');
  if (!texts.of('Artist').some(({ text }) => isArtist.test(text))) return [];
  return texts
    .of('ImageDescription', 'UserComment')
    .filter(({ text }: ForeignText) => /^Signature: [A-Za-z0-9+/]{86,}={0,2}$/.test(text))
    .map((text) => ({ text, origin: 'ai-generated', generator: 'Grok (xAI)' }));
}
