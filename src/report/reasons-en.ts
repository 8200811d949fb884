import type { Reason } from './phrases.ts';
import type { ReasonCode } from '../contract/vocabulary.ts';

export const reasonsEn: Readonly<Record<ReasonCode, Reason>> = {
  too_small: {
    short: 'the picture is too small',
    what: 'The picture has too few pixels: not one patch of the size that the model reads fits into it.',
    help: 'the picture in its full original resolution instead of a preview or a detail',
  },
  too_compressed: {
    short: 'the picture is compressed too strongly',
    what: 'Lossy compression has erased the fine traces that tell a camera recording from a generated or altered picture.',
    help: 'an earlier, less compressed copy, ideally the file as the camera or program first stored it, since copies from messengers and social networks are usually compressed again',
  },
  no_usable_trace: {
    short: 'no usable traces are left',
    what: 'Neither traces of a camera nor traces of generation or alteration are present in measurable strength. Scaling down, smoothing and repeated saving commonly have this effect.',
    help: 'a file from an earlier point of its history, from the recording device or from whoever first published the picture',
  },
  not_a_photograph: {
    short: 'the picture does not appear to be a photograph',
    what: 'The picture resembles a drawing, a screenshot, a scan or a graphic more than a photograph. The method was validated on photographs only.',
    help: 'if the picture shows a photograph, for example within a screenshot, that photograph itself as a file',
  },
  outside_training_domain: {
    short: 'the picture lies outside the range that the model was validated for',
    what: 'The traces differ from everything that the model has learned from. For such pictures its values carry no reliable meaning.',
    help: 'comparison pictures from the same source or device, and an examination with other methods',
  },
  margin_within_uncertainty: {
    short: 'the distance to the decision boundary lies within the measurement uncertainty',
    what: 'Measured by how widely repeated passes of the model scatter, the result lies too close to the boundary between the two classes. Chance could have tipped the decision.',
    help: 'a copy closer to the original, whose traces are stronger and scatter less',
  },
  evidence_below_threshold: {
    short: 'the evidence is too weak for the chosen decision strategy',
    what: 'The estimated probability lies between the two thresholds of the chosen decision strategy: too low for the result “fake”, too high for the result “real”.',
    help: 'further evidence such as the origin of the picture, other pictures of the same event or the recording device and, where it exists, the original file',
  },
  unstable_under_resaving: {
    short: 'the verdict does not hold when the picture is saved or scaled again',
    what: 'After changes that every shared picture goes through, such as being saved, scaled or cropped again, the values point to the other side. A verdict that does not survive this rests on too little.',
    help: 'a copy closer to the original, which was saved and scaled less often',
  },
  declaration_contradicts_traces: {
    short: 'what the file declares and what its traces show contradict each other',
    what: 'The file declares itself to be generated, but no trusted party has signed that declaration, and the traces in the picture speak for a camera. Anybody can write such a declaration into a file, for example to discredit a genuine photograph.',
    help: 'the file as it lies on the device or in the account that it is said to come from, and an account of whose hands it has passed through since',
  },
  manipulation_suspected: {
    short: 'there are signs that a part of the picture was changed',
    what: 'The methods that look for changed parts see signs of a change, but too weak ones for the result “fake”. The picture is therefore not called “real” either.',
    help: 'the file as the camera first stored it, to be compared with this one place by place',
  },
  single_weak_method: {
    short: 'only one method speaks for a change, and it speaks weakly',
    what: 'Of the methods that look for changed parts one alone speaks for a change, and weakly. None of the others supports it, so that it may be mistaken.',
    help: 'an examiner who looks at the marked place in the picture itself, and a copy that was saved and scaled less often, in which other methods may see more',
  },
};
