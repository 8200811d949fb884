import type { SourceType } from '../../../provenance/source-types.ts';

/** The meaning of each term; follows "digital source type". */
export const sourceTypes: Readonly<Record<SourceType, string>> = {
  trainedAlgorithmicMedia: 'created by a trained model (generative AI)',
  trainedAlgorithmicData: 'data from a trained model (generative AI)',
  compositeWithTrainedAlgorithmicMedia: 'composed or edited with a trained model (generative AI)',
  digitalCapture: 'captured from a real scene by a digital camera',
  computationalCapture:
    'captured from a real scene, several exposures or sensors combined by the camera',
  negativeFilm: 'digitised from a film negative',
  positiveFilm: 'digitised from a slide or other film positive',
  print: 'digitised from a print or another original on paper',
  algorithmicMedia: 'computed by a formula or program, without a trained model',
  algorithmicallyEnhanced: 'a picture enhanced by a program',
  composite: 'composed of several pictures or elements of any kind',
  compositeCapture: 'composed of several captures of real scenes',
  compositeSynthetic: 'composed of several elements, at least one of them synthetic',
  dataDrivenMedia: 'drawn from data, such as a chart or map',
  digitalArt: 'art made by a person with digital tools',
  digitalCreation: 'made by a person with digital tools other than generative AI',
  humanEdits: 'a picture that a person edited with tools other than generative AI',
  minorHumanEdits: 'a picture with minor edits by a person, such as cropping or colour correction',
  screenCapture: 'a screenshot or recording of a screen',
  softwareImage: 'made with software, such as a rendering or drawing',
  virtualRecording: 'recorded in a virtual scene, such as a game',
};
