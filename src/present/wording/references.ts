/** The sources of the methods in a report, which are not translated. */

/** In the order in which they are numbered. */
export const references = {
  propositions:
    'European Network of Forensic Science Institutes: ENFSI Guideline for Evaluative Reporting in Forensic Science. Version 3.0, 2015.',
  uncertainty:
    'Y. Gal, Z. Ghahramani: Dropout as a Bayesian Approximation: Representing Model Uncertainty in Deep Learning. Proceedings of the 33rd International Conference on Machine Learning, PMLR 48, 2016, pp. 1050–1059.',
  calibration:
    'J. C. Platt: Probabilistic Outputs for Support Vector Machines and Comparisons to Regularized Likelihood Methods. In: Advances in Large Margin Classifiers, MIT Press, 1999, pp. 61–74.',
  anomaly:
    'K. Lee, K. Lee, H. Lee, J. Shin: A Simple Unified Framework for Detecting Out-of-Distribution Samples and Adversarial Attacks. Advances in Neural Information Processing Systems 31, 2018.',
  errorRates:
    'C. J. Clopper, E. S. Pearson: The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial. Biometrika 26(4), 1934, pp. 404–413.',
  auc: 'B. Efron: Bootstrap Methods: Another Look at the Jackknife. The Annals of Statistics 7(1), 1979, pp. 1–26.',
  jpeg: 'ITU-T Recommendation T.81 (1992) | ISO/IEC 10918-1:1994: Digital compression and coding of continuous-tone still images.',
  quantisationTables:
    'J. D. Kornblum: Using JPEG quantization tables to identify imagery processed by software. Digital Investigation 5 (Supplement), 2008, pp. S21–S25.',
  localisationNetwork:
    'F. Guillaro, D. Cozzolino, A. Sud, N. Dufour, L. Verdoliva: TruFor: Leveraging All-Round Clues for Trustworthy Image Forgery Detection and Localization. IEEE/CVF Conference on Computer Vision and Pattern Recognition, 2023.',
  doubleQuantisation:
    'T. Bianchi, A. Piva: Image Forgery Localization via Block-Grained Analysis of JPEG Artifacts. IEEE Transactions on Information Forensics and Security 7(3), 2012, pp. 1003–1017.',
  copies:
    'D. Cozzolino, G. Poggi, L. Verdoliva: Efficient Dense-Field Copy–Move Forgery Detection. IEEE Transactions on Information Forensics and Security 10(11), 2015, pp. 2284–2297.',
  thumbnail:
    'E. Kee, H. Farid: Digital image authentication from thumbnails. Proceedings of SPIE 7541, Media Forensics and Security II, 2010.',
  png: 'World Wide Web Consortium: Portable Network Graphics (PNG) Specification.',
  exif: 'Camera & Imaging Products Association: Exchangeable image file format for digital still cameras (Exif), CIPA DC-008.',
  xmp: 'ISO 16684-1: Extensible metadata platform (XMP), Part 1.',
  declaredOrigin:
    'International Press Telecommunications Council: IPTC Photo Metadata Standard; IPTC NewsCodes, Digital Source Type.',
  contentCredentials:
    'Coalition for Content Provenance and Authenticity: Content Credentials, C2PA Technical Specification.',
  checksums:
    'National Institute of Standards and Technology: Secure Hash Standard (SHS), FIPS PUB 180-4, 2015.',
  signature:
    'S. Josefsson, I. Liusvaara: Edwards-Curve Digital Signature Algorithm (EdDSA), RFC 8032, 2017. A. Rundgren, B. Jordan, S. Erdtman: JSON Canonicalization Scheme (JCS), RFC 8785, 2020.',
  colours: 'B. Ottosson: A perceptual color space for image processing, 2020.',
};

/** What the methods are based on; their findings cite it by number. */
export const usesOfMethods: Readonly<Record<string, readonly (keyof typeof references)[]>> = {
  'compression-tables': ['jpeg', 'quantisationTables'],
  'localisation-network': ['localisationNetwork'],
  'double-quantisation': ['doubleQuantisation'],
  'copy-move': ['copies'],
  thumbnail: ['thumbnail'],
  'file-consistency': ['thumbnail', 'exif'],
  'named-software': ['exif', 'xmp'],
  'declared-origin': ['declaredOrigin'],
  'content-credentials': ['contentCredentials'],
};
