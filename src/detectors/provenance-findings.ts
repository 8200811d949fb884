/** Methods that report what a file states about its origin, and what it reveals besides its pixels. */

import {
  type ContentCredentials,
  type Declaration,
  type FileLayout,
  firstEdit,
  type QuantisationClass,
  readSourceType,
} from '../contract/provenance.ts';
import {
  conventionalWeight,
  type Detector,
  type DetectorInput,
  type Finding,
  noWeight,
  type Skipped,
  strengthOfAssurance,
  type Weight,
} from './detector.ts';
import type { CredentialVouching, FindingStatement, SkipReason } from './statements.ts';

type Reported = Pick<Finding, 'statement' | 'measures'> & Partial<Weight>;

/** A method that only reports, unless it gives a weight; or says why there is nothing to report. */
function reporting(
  method: string,
  source: string,
  read: (input: DetectorInput) => SkipReason | Reported,
): Detector<Finding | Skipped> {
  return {
    method,
    examine: (input) => {
      const found = read(input);
      if (typeof found === 'string') return { method, reason: found };
      return { method, ...noWeight, ...found, source };
    },
  };
}

// What signed content credentials declare. Integrity and trust are separate facts: a valid signature shows that the file
// is unchanged, and a trusted signer shows who made the declaration. A declaration with an invalid signature is left to
// `declared-origin`.

export const contentCredentials = reporting(
  'content-credentials',
  'C2PA Technical Specification 2.3; IPTC NewsCodes, Digital Source Type.',
  ({ provenance: { credentials, declarations } }) => {
    if (credentials === null) return 'no_credentials';
    const { integrity, trust, manifests, actions } = credentials;
    const declared = declarations.filter(
      ({ place, assurance }) => place === 'c2pa' && assurance !== 'unsigned',
    );
    // A file may declare both, one for the whole and the other for a part; generated content takes precedence.
    const mainDeclaration = declared.find(({ origin }) => origin !== 'captured') ?? declared[0];
    return {
      ...(integrity === 'valid' && mainDeclaration && weigh(mainDeclaration, credentials)),
      statement: toStatement(credentials, mainDeclaration),
      measures: {
        isValid: integrity === 'valid' ? 1 : 0,
        isTrusted: trust === 'trusted' ? 1 : 0,
        manifests,
        actions: actions.length,
      },
    };
  },
);

/** A trusted capture is at most moderate evidence, because a camera can also photograph a screen or a print. */
function weigh({ origin, assurance }: Declaration, credentials: ContentCredentials): Weight {
  if (origin !== 'captured') return conventionalWeight('fake', strengthOfAssurance[assurance]);
  const isUntouched = assurance === 'trusted' && firstEdit(credentials) === null;
  return isUntouched ? conventionalWeight('real', 'moderate') : noWeight;
}

function toStatement(
  credentials: ContentCredentials,
  mainDeclaration: Declaration | undefined,
): FindingStatement {
  const { integrity, signer } = credentials;
  if (integrity === 'unreadable') return { code: 'credentials_unreadable', values: {} };
  if (integrity === 'broken') return { code: 'credentials_broken', values: { signer } };
  if (mainDeclaration === undefined)
    return { code: 'credentials_without_origin', values: { signer } };
  const { origin, generator } = mainDeclaration;
  const vouching = describeVouching(credentials, mainDeclaration);
  return { code: 'credentials_declare_origin', values: { signer, origin, generator, vouching } };
}

/** Who vouches for a declaration: this may be the signer of an earlier part of the history. */
function describeVouching(
  credentials: ContentCredentials,
  { origin, assurance }: Declaration,
): CredentialVouching {
  if (assurance !== 'trusted') {
    return { by: credentials.trust === 'not-checked' ? 'no_trust_list' : 'unlisted_signer' };
  }
  if (origin !== 'captured') return { by: 'trusted_signer' };
  const edit = firstEdit(credentials);
  return edit === null ? { by: 'trusted_capture' } : { by: 'edited_capture', edit };
}

// What a file declares about its origin without a valid signature: source types, and traces that generators leave in
// the metadata or, as a publicly documented watermark or a visible mark, in the pixels. A generated picture gains
// nothing from such a declaration, but anyone can add one to an authentic picture.

export const declaredOrigin = reporting(
  'declared-origin',
  'IPTC NewsCodes, Digital Source Type; GB 45438-2025; formats of the generators themselves; invisible-watermark 0.2.0.',
  ({ picture, provenance }) => {
    const declared = provenance.declarations.filter(
      ({ assurance }) => assurance === 'unsigned' || assurance === 'watermark',
    );
    const generated = declared.filter(({ origin }) => origin !== 'captured');
    const [first] = [...generated, ...declared];
    const measures = { declarations: declared.length, ofGeneratedContent: generated.length };
    if (first === undefined) {
      const type = picture.facts.metadata.digitalSourceType;
      if (type === null) return 'no_declaration';
      const values = { type: readSourceType(type) };
      return { statement: { code: 'source_type_named', values }, measures };
    }
    const { origin, place, field, generator, assurance } = first;
    return {
      ...(generated.length > 0 && conventionalWeight('fake', strengthOfAssurance[assurance])),
      statement:
        assurance !== 'watermark'
          ? { code: 'origin_declared', values: { origin, place, field, generator } }
          : place === 'visible-mark'
            ? { code: 'visible_mark_found', values: { generator } }
            : { code: 'watermark_found', values: { generator } },
      measures,
    };
  },
);

/** A longer list does not fit into a sentence. */
const maxNames = 5;

export const namedSoftware = reporting(
  'named-software',
  'CIPA DC-008 (Exif); Adobe XMP specification; C2PA Technical Specification 2.3.',
  ({ provenance: { software } }) => {
    if (software.length === 0) return 'no_software_named';
    const named = software.slice(0, maxNames).map(({ kind, name }) => ({ kind, name }));
    const statement = { code: 'software_named', values: { software: named } } as const;
    return { statement, measures: { names: software.length } };
  },
);

// What a file reveals besides its pixels: whether its records agree, which program wrote a JPEG
// (judging by the quantisation tables), and what else it contains.

export const compressionTables = reporting(
  'compression-tables',
  'ITU-T T.81 (1992), Annex K; Kornblum, "Using JPEG quantization tables to identify imagery processed by software", Digital Investigation 5 (2008).',
  ({ provenance: { quantisation } }) => {
    if (quantisation === null) return 'no_quantisation_tables';
    const { quality } = quantisation;
    const measures = quality === null ? {} : { libjpegQuality: quality };
    return { statement: tablesStatement(quantisation), measures };
  },
);

function tablesStatement({ kind, name, quality }: QuantisationClass): FindingStatement {
  if (kind === 'libjpeg') return { code: 'tables_of_libjpeg', values: { quality } };
  if (kind === 'known-software') return { code: 'tables_of_program', values: { name } };
  return { code: 'tables_of_their_own', values: {} };
}

export const fileLayout = reporting(
  'file-layout',
  'ITU-T T.81 (1992), Annex B; W3C PNG specification; CIPA DC-007 (Multi-Picture Format).',
  ({ provenance: { layout } }) => {
    const { trailingBytes, pictures } = layout;
    if (trailingBytes === 0 && pictures === 1) return 'nothing_else_in_file';
    return { statement: layoutStatement(layout), measures: { trailingBytes, pictures } };
  },
);

const addedByCameras: readonly string[] = ['jpeg', 'mp4', 'samsung-trailer'];
const addedByOthers: readonly string[] = ['zip', 'pdf', 'rar', '7z', 'gzip', 'executable'];

function layoutStatement({ trailingBytes, trailingKind, pictures }: FileLayout): FindingStatement {
  const kind = trailingKind ?? '';
  const isOfCamera = trailingBytes === 0 || addedByCameras.includes(kind);
  const writtenBy = isOfCamera ? 'cameras' : addedByOthers.includes(kind) ? 'others' : 'anything';
  const values = { trailingBytes, trailingKind, furtherPictures: pictures - 1, writtenBy } as const;
  return { code: 'more_in_file', values };
}

export const fileConsistency = reporting(
  'file-consistency',
  'CIPA DC-008 (Exif); Kee and Farid, "Digital image authentication from thumbnails", SPIE 2010.',
  ({ picture: { facts }, provenance: { inconsistencies } }) => {
    const { exif, xmp } = facts.metadata;
    const isBare = Object.keys(exif).length + Object.keys(xmp).length === 0;
    if (isBare && inconsistencies.length === 0) return 'no_metadata';
    const codes = inconsistencies.map(({ code }) => code);
    const isOtherContent = codes.includes('thumbnail_content_differs');
    return {
      ...(isOtherContent && conventionalWeight('fake', 'weak')),
      statement:
        codes.length === 0
          ? { code: 'records_agree', values: {} }
          : { code: 'records_contradict', values: { codes } },
      measures: { contradictions: codes.length },
    };
  },
);
