/** The sources of the methods in a report. Only what a source is cited for is translated, not the citation. */

import type { Words } from './catalogue.ts';

interface Reference {
  readonly citation: string;
  readonly use: keyof Words['glossary']['uses'];
  /** The methods based on this source; their findings cite it by number. */
  readonly methods?: readonly string[];
}

export const references: readonly Reference[] = [
  {
    citation:
      'European Network of Forensic Science Institutes: ENFSI Guideline for Evaluative Reporting in Forensic Science. Version 3.0, 2015.',
    use: 'propositions',
  },
  {
    citation:
      'Y. Gal, Z. Ghahramani: Dropout as a Bayesian Approximation: Representing Model Uncertainty in Deep Learning. Proceedings of the 33rd International Conference on Machine Learning, PMLR 48, 2016, pp. 1050–1059.',
    use: 'uncertainty',
  },
  {
    citation:
      'J. C. Platt: Probabilistic Outputs for Support Vector Machines and Comparisons to Regularized Likelihood Methods. In: Advances in Large Margin Classifiers, MIT Press, 1999, pp. 61–74.',
    use: 'calibration',
  },
  {
    citation:
      'K. Lee, K. Lee, H. Lee, J. Shin: A Simple Unified Framework for Detecting Out-of-Distribution Samples and Adversarial Attacks. Advances in Neural Information Processing Systems 31, 2018.',
    use: 'anomaly',
  },
  {
    citation:
      'C. J. Clopper, E. S. Pearson: The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial. Biometrika 26(4), 1934, pp. 404–413.',
    use: 'errorRates',
  },
  {
    citation:
      'B. Efron: Bootstrap Methods: Another Look at the Jackknife. The Annals of Statistics 7(1), 1979, pp. 1–26.',
    use: 'auc',
  },
  {
    citation:
      'ITU-T Recommendation T.81 (1992) | ISO/IEC 10918-1:1994: Digital compression and coding of continuous-tone still images.',
    use: 'jpeg',
    methods: ['compression-tables'],
  },
  {
    citation:
      'J. D. Kornblum: Using JPEG quantization tables to identify imagery processed by software. Digital Investigation 5 (Supplement), 2008, pp. S21–S25.',
    use: 'quantisationTables',
    methods: ['compression-tables'],
  },
  {
    citation:
      'F. Guillaro, D. Cozzolino, A. Sud, N. Dufour, L. Verdoliva: TruFor: Leveraging All-Round Clues for Trustworthy Image Forgery Detection and Localization. IEEE/CVF Conference on Computer Vision and Pattern Recognition, 2023.',
    use: 'localisationNetwork',
    methods: ['localisation-network'],
  },
  {
    citation:
      'T. Bianchi, A. Piva: Image Forgery Localization via Block-Grained Analysis of JPEG Artifacts. IEEE Transactions on Information Forensics and Security 7(3), 2012, pp. 1003–1017.',
    use: 'doubleQuantisation',
    methods: ['double-quantisation'],
  },
  {
    citation:
      'D. Cozzolino, G. Poggi, L. Verdoliva: Efficient Dense-Field Copy–Move Forgery Detection. IEEE Transactions on Information Forensics and Security 10(11), 2015, pp. 2284–2297.',
    use: 'copies',
    methods: ['copy-move'],
  },
  {
    citation:
      'E. Kee, H. Farid: Digital image authentication from thumbnails. Proceedings of SPIE 7541, Media Forensics and Security II, 2010.',
    use: 'thumbnail',
    methods: ['thumbnail', 'file-consistency'],
  },
  {
    citation: 'World Wide Web Consortium: Portable Network Graphics (PNG) Specification.',
    use: 'png',
  },
  {
    citation:
      'Camera & Imaging Products Association: Exchangeable image file format for digital still cameras (Exif), CIPA DC-008.',
    use: 'exif',
    methods: ['named-software', 'file-consistency'],
  },
  {
    citation: 'ISO 16684-1: Extensible metadata platform (XMP), Part 1.',
    use: 'xmp',
    methods: ['named-software'],
  },
  {
    citation:
      'International Press Telecommunications Council: IPTC Photo Metadata Standard; IPTC NewsCodes, Digital Source Type.',
    use: 'declaredOrigin',
    methods: ['declared-origin'],
  },
  {
    citation:
      'Coalition for Content Provenance and Authenticity: Content Credentials, C2PA Technical Specification.',
    use: 'contentCredentials',
    methods: ['content-credentials'],
  },
  {
    citation:
      'National Institute of Standards and Technology: Secure Hash Standard (SHS), FIPS PUB 180-4, 2015.',
    use: 'checksums',
  },
  {
    citation:
      'S. Josefsson, I. Liusvaara: Edwards-Curve Digital Signature Algorithm (EdDSA), RFC 8032, 2017. A. Rundgren, B. Jordan, S. Erdtman: JSON Canonicalization Scheme (JCS), RFC 8785, 2020.',
    use: 'signature',
  },
  {
    citation: 'B. Ottosson: A perceptual color space for image processing, 2020.',
    use: 'colours',
  },
];
