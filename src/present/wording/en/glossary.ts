/** Explains the report's terms for readers without training, and what its references are used for. */
export const glossary = {
  /** The meaning of each term. */
  terms: {
    AUC: 'Area under the ROC curve: how well a method tells two classes apart, from 0.5 (chance) to 1.',
    'Anomaly score':
      'Share of reference pictures that are closer than this one to the pictures the model learned from.',
    'Calibrated probability':
      'A score adjusted on labelled pictures so that about 80% of the pictures scored 0.8 are generated, if half of all pictures are.',
    'Cell, patch':
      'A cell is the smallest area that a heatmap has a value for; a patch is a square of several cells that is judged as a whole.',
    'Content Credentials (C2PA)':
      'Signed statements about the origin of a file and what was done to it, kept in the file itself.',
    'EXIF, IPTC, XMP':
      'Three kinds of metadata in picture files: from devices, agencies and programs.',
    'Gini coefficient':
      'How unevenly deviations are spread over a picture: 0 if they are equal everywhere, near 1 if they are all in a few places.',
    Heatmap:
      'The picture overlaid with colours that show where methods responded, and how strongly.',
    'Likelihood ratio':
      'The probability of the evidence if one proposition is true, divided by its probability if the other is true.',
    'Monte Carlo passes':
      'Repeated assessments, each with different random parts of the model left out; their spread is a lower bound on its uncertainty.',
    'Quantisation table':
      'The 64 step sizes to which a JPEG file rounds its values; they differ between cameras, programs and quality settings.',
    Seed: 'A number that fixes every random choice, so that the same examination can be repeated.',
    'SHA-256, SHA-512, MD5':
      'Checksums. Two files with the same SHA-256 or SHA-512 are the same; two different files with the same MD5 can be made deliberately.',
    Strategy:
      'How much evidence is required before a decision is made: pedantic the most, relaxed the least.',
    Traces:
      'Statistical regularities in the pixels that a sensor, a program or a generator leaves behind.',
  } as Readonly<Record<string, string>>,
};
