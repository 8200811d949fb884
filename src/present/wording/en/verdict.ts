/** The meaning of an examination: the summary, the reasons why nothing was decided, and the conclusion. */
export const verdict = {
  reasons: {
    too_small: 'The picture has fewer pixels than the method needs to read it at all.',
    too_compressed:
      'Lossy compression has destroyed the fine traces that distinguish a camera recording from a generated or altered picture.',
    no_usable_trace:
      'No traces of a camera, of generation or of alteration are left at a measurable strength, so a change would not show either. Scaling down, smoothing and repeated saving commonly have this effect.',
    not_a_photograph:
      'The program does not class the picture as a photograph. The method was tested only on photographs and on generated pictures that look like photographs; for anything else its values mean nothing.',
    outside_training_domain:
      'The picture is unlike any that the method was trained on, so its values cannot be relied on.',
    margin_within_uncertainty:
      'Repeated passes of the model vary too much for a result so close to the boundary between the two classes: chance alone could have decided it.',
    evidence_below_threshold:
      'The likelihood ratio between a photograph and a generated picture is too low for a decision.',
    unstable_under_resaving:
      'After changes that shared pictures often go through, such as being re-saved, scaled or cropped, the values point to the other side. A verdict that does not survive such changes is not well founded.',
    declaration_contradicts_traces:
      'The file says that the picture was generated, but the traces in the picture fit a photograph better. Unless a trusted signer vouches for the entry, such a contradiction remains unresolved: anyone can write such an entry into a file, and the method takes some generated pictures for photographs.',
    manipulation_suspected:
      'The methods that look for changed parts give reason to suspect a change, but not enough to call the picture changed. Nor can it be said that no sign was found.',
    single_weak_method:
      'Only one of the methods that look for changed parts indicates a change, and even that one only weakly; this may be an error.',
  },
  /** What ratio would have been needed, for `evidence_below_threshold`. */
  needed: (real: string, fake: string) =>
    `At this size in pixels, the method decides only at a ratio of ${real} or more for a photograph, or ${fake} for a generated picture.`,
  /** Why a change can only be suspected, however strong the evidence. */
  onlySuspected: {
    small:
      'Pictures with fewer than 65,536 pixels are too small for the method to establish a change; in them, one can only be suspected.',
    damaged:
      'The file is cut off or damaged, and what is missing can be mistaken for a change; in such a file, a change can only be suspected.',
  },
  strategies: {
    pedantic: 'strict (pedantic: decides least often)',
    default: 'balanced (default)',
    relaxed: 'lenient (relaxed: decides most often)',
  },
  /** How far to rely on the result, in one sentence for someone who has to act on it. */
  conclusion: {
    real: 'The result points away from AI generation, but does not settle whether AI generated the picture or a part of it was changed. A genuine photograph can also carry a false caption, or be a photograph of a screen or a print.',
    fake: 'The result is a reason to investigate, not the sole ground for a decision against anyone: some photographs are mistaken for generated pictures, and who made this picture, and why, remains open.',
    changed:
      'The result is a reason to investigate, not the sole ground for a decision against anyone: it can be wrong, unmarked parts may be changed too, and who changed what, and why, remains open.',
    declared:
      'The result rests on what the file says and is only as reliable as that; who made the picture, and why, remains open.',
    agreeing:
      'The result rests on what the file says, and the traces agree; who made the picture, and why, remains open.',
    suspected:
      'The suspicion is a reason to ask for the original, not a finding to base a decision on. Unmarked parts may be changed too.',
    uncertain: 'The evidence does not permit a decision; do not base one on it.',
    abstain: 'Nothing can be concluded from this about the picture, one way or the other.',
    duty: [
      'The result is one piece of evidence among others and does not replace an examiner’s assessment.',
      'The result is one piece of evidence among others; the assessment remains with the examiner.',
    ],
  },
};
