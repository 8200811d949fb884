/** The file that was examined: what its metadata says and how it is structured. GPS positions are never printed. */

import { formatNames } from '../../contract/vocabulary.ts';
import type { JpegStructure } from '../../image/jpeg-structure.ts';
import type { Metadata } from '../../image/metadata.ts';
import { writeWarnings } from '../findings.ts';
import { kept, nameIn, printable, withDetails } from '../text.ts';
import type { Origin } from '../report-item.ts';
import type { Words } from '../wording/catalogue.ts';
import {
  type Block,
  foreignRow,
  grid,
  type GridRow,
  heading,
  note,
  only,
  paragraph,
  type Row,
  row,
  type SectionInput,
  valueLimit,
  withEscapes,
} from './blocks.ts';
import {
  type ContentCredentials,
  type Declaration,
  readSourceType,
} from '../../contract/provenance.ts';
import { methodName } from './findings.ts';

type Tag = string | number;

/** EXIF exposure tags, under every name in use, written as photographers write them. */
const exposureTags: readonly { names: readonly string[]; write: (value: Tag) => string }[] = [
  { names: ['ExposureTime'], write: (value) => `${value} s` },
  { names: ['FNumber'], write: (value) => String(value).replace(/\.0$/, '') },
  { names: ['PhotographicSensitivity', 'ISOSpeedRatings'], write: (value) => `ISO ${value}` },
  { names: ['FocalLength'], write: (value) => String(value) },
];

export function itemBlocks(input: SectionInput): readonly Block[] {
  const { metadataTitle, metadataNote } = input.catalogue.document.item;
  const blocks: readonly Block[] = [
    { kind: 'table', rows: itemRows(input) },
    heading(metadataTitle),
    { kind: 'table', rows: metadataRows(input) },
    note(metadataNote),
    ...credentialDetails(input),
  ];
  return withEscapes(blocks, input.labels);
}

function itemRows(input: SectionInput): readonly Row[] {
  const { examination, item, labels, numbers } = input;
  const { rows, pixels } = labels;
  const { facts } = examination;
  const size = (width: number, height: number) =>
    `${numbers.count(width)} × ${numbers.count(height)} ${pixels}`;
  const isTurned = facts.width !== facts.storedWidth || facts.height !== facts.storedHeight;
  return [
    { label: rows.name, value: printable(item.name) },
    ...(item.origins ?? []).flatMap((origin) => originRows(origin, input)),
    ...row(item.isUploadReplaced === true, rows.upload, labels.uploadReplaced),
    { label: rows.bytes, value: `${numbers.count(facts.sizeBytes)} ${labels.bytes}` },
    { label: 'SHA-256', value: facts.sha256 },
    // Split in two, because two lines of equal length are easier to compare.
    { label: 'SHA-512', value: `${facts.sha512.slice(0, 64)} ${facts.sha512.slice(64)}` },
    { label: labels.md5, value: facts.md5 },
    { label: rows.format, value: formatNames[facts.format] },
    { label: rows.size, value: size(facts.width, facts.height) },
    ...row(isTurned, rows.storedSize, size(facts.storedWidth, facts.storedHeight)),
    ...row(facts.orientation !== 1, rows.orientation, numbers.count(facts.orientation)),
    { label: rows.colour, value: writeColour(input) },
    ...foreignRow(rows.profile, facts.iccProfile),
    ...(facts.jpeg === null ? [] : jpegRows(input, facts.jpeg)),
    ...structureRows(input),
  ];
}

function originRows(origin: Origin, { labels, numbers }: SectionInput): readonly Row[] {
  const { rows, origins } = labels;
  if (origin.kind === 'url') {
    const { url, redirects, headers, fetchedAt } = origin;
    const said = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return [
      ...foreignRow(rows.fetchedFrom, [url, ...redirects].join(' → ')),
      { label: rows.fetchedAt, value: numbers.stated(fetchedAt) },
      ...foreignRow(rows.serverSaid, said.join('; ')),
    ];
  }
  const { name, sha256, page, picture, place } = origin;
  const { left, top, width, height } = place;
  const mm = (value: number) => numbers.count(Math.round(value));
  const where = origins.place(mm(width), mm(height), mm(left), mm(top));
  const inPage =
    picture === null ? origins.page(page) : `${origins.picture(page, picture)}, ${where}`;
  return [
    ...foreignRow(rows.takenFrom, name),
    { label: rows.pdfSha256, value: sha256 },
    { label: rows.place, value: inPage },
  ];
}

function writeColour({ examination, labels, numbers }: SectionInput): string {
  const { colourSpace, bitsPerSample, channels, hasAlpha } = examination.facts;
  const bits = labels.bits(numbers.count(bitsPerSample), numbers.count(channels));
  return kept([printable(colourSpace, valueLimit), bits, hasAlpha && labels.withAlpha]).join(', ');
}

function jpegRows(input: SectionInput, jpeg: JpegStructure): readonly Row[] {
  const { labels } = input;
  const { rows } = labels;
  const { quality, progressive, arithmetic } = jpeg;
  const coding = progressive ? labels.progressive : labels.sequential;
  return [
    ...(quality ? [{ label: rows.jpegQuality, value: writeQuality(input, quality) }] : []),
    { label: rows.jpegSubsampling, value: printable(jpeg.chromaSubsampling, valueLimit) },
    { label: rows.jpegCoding, value: kept([coding, arithmetic && labels.arithmetic]).join(', ') },
  ];
}

function writeQuality(
  { labels, numbers }: SectionInput,
  { value, distance }: NonNullable<JpegStructure['quality']>,
): string {
  const quality = numbers.count(value);
  if (distance === 0) return labels.exactQuality(quality);
  return labels.nearestQuality(quality, numbers.plain(distance));
}

function metadataRows(input: SectionInput): readonly Row[] {
  const { examination, labels, catalogue, numbers, language } = input;
  const { rows } = labels;
  const { metadata } = examination.facts;
  const { exif, pngText, takenAt } = metadata;
  const exposure = exposureTags.flatMap(({ names, write }) => {
    const value = names.map((name) => exif[name]).find((found) => found !== undefined);
    if (value === undefined) return [];
    return write(value).replace(/(?<=\d)\.(?=\d)/, labels.numbers.decimal);
  });
  const texts = Object.entries(pngText).map(([key, text]) => `${key}: ${text}`);
  const { presentNotShown, present } = labels;
  const { absent } = catalogue.document.item;
  const unread = writeWarnings(examination.provenance, language);
  const warnings = writeWarnings(metadata, language);
  const camera = writeCamera(metadata);
  const isSilent = [camera, takenAt, metadata.software].every((it) => !it);
  return [
    ...row(isSilent, rows.statements, catalogue.document.item.noMetadata),
    ...foreignRow(rows.camera, camera),
    ...foreignRow(rows.takenAt, takenAt && numbers.stated(takenAt)),
    ...foreignRow(rows.software, metadata.software),
    ...foreignRow(rows.digitalSource, metadata.digitalSourceType),
    ...foreignRow(rows.lens, joined([exif['LensModel']])),
    ...foreignRow(rows.exposure, exposure.join(', ')),
    ...foreignRow(rows.pngText, texts.join('; ')),
    ...foreignRow(rows.comment, metadata.comment ?? null),
    { label: rows.position, value: metadata.hasGps ? presentNotShown : absent },
    { label: rows.thumbnail, value: metadata.hasThumbnail ? present : absent },
    // The section on provenance lists what could not be read.
    ...foreignRow(rows.metadataWarnings, warnings.filter((one) => !unread.includes(one)).join(' ')),
  ];
}

/** Many makers repeat part of their name in the model: `NIKON CORPORATION`, `NIKON D800`. */
function writeCamera({ cameraMake, cameraModel }: Metadata): string {
  const [brand = ''] = cameraMake?.split(' ') ?? [];
  const isNamed = brand !== '' && cameraModel?.startsWith(brand) === true;
  return joined(isNamed ? [cameraModel] : [cameraMake, cameraModel]);
}

function joined(values: readonly (Tag | null | undefined)[]): string {
  return values.filter((value) => value !== null && value !== undefined).join(' ');
}

// What the file says about its own origin and history, and whether that is consistent; the annex has the details.

export function provenanceBlocks(input: SectionInput): readonly Block[] {
  const { catalogue, evidence } = input;
  const { provenance: words } = catalogue;
  const { declarations, credentials } = evidence.provenance;
  const hasOwn = declarations.length > 0 || credentials !== null;
  const blocks: readonly Block[] = [
    paragraph(words.intro),
    ...only(declarations.length > 0, heading(words.declarationsTitle), declarationGrid(input)),
    ...only(
      declarations.some(({ origin }) => origin !== 'captured'),
      paragraph(words.disclosure),
    ),
    ...only(
      credentials !== null,
      heading(words.credentialsTitle),
      { kind: 'table', rows: credentialRows(input) },
      note(words.credentialsNote),
    ),
    ...only(hasOwn, heading(words.fileTitle)),
    { kind: 'table', rows: [...fileRows(input), ...absentRows(input)] },
    ...inconsistencyBlocks(input),
  ];
  return withEscapes(blocks, input.labels);
}

function absentRows({ catalogue, evidence }: SectionInput): readonly Row[] {
  const { provenance: words } = catalogue;
  const { declarations, credentials, inconsistencies } = evidence.provenance;
  return [
    ...row(declarations.length === 0, words.declarationsTitle, words.noDeclaration),
    ...row(credentials === null, words.credentialsTitle, words.noCredentials),
    ...row(inconsistencies.length === 0, words.inconsistenciesTitle, words.noInconsistencies),
  ];
}

function declarationGrid({ catalogue, evidence }: SectionInput): Block {
  const { provenance: words } = catalogue;
  const toRow = ({ origin, place, field, value, generator, assurance }: Declaration): GridRow => {
    const type = readSourceType(value);
    return {
      cells: [
        words.origins[origin],
        `${words.places[place]}: ${printable(field, 60)}`,
        kept([
          type === null ? printable(value, valueLimit) : `${type}: ${words.sourceTypes[type]}`,
          generator !== null && !value.includes(generator) && printable(generator, 80),
        ]).join('\n'),
        words.assurances[assurance],
      ],
    };
  };
  return grid(words.columns, [0.18, 0.2, 0.4, 0.22], evidence.provenance.declarations.map(toRow));
}

function credentialRows({ evidence, labels, numbers, catalogue }: SectionInput): readonly Row[] {
  const { credentials } = evidence.provenance;
  if (credentials === null) return [];
  const { rows } = labels;
  const { provenance: words } = catalogue;
  const { integrity, trust, hasTimestamp, problems, ingredientProblems = [] } = credentials;
  const stamp = kept([words.timestamp.present, printable(credentials.authority ?? '', 80)]);
  // Without a trust list no signer is trusted, which says nothing about the file.
  const reported = problems.filter(
    (problem) => trust !== 'not-checked' || problem !== 'signingCredential.untrusted',
  );
  return [
    { label: rows.credentialsIntegrity, value: words.integrity[integrity] },
    { label: rows.credentialsTrust, value: words.trust[trust] },
    ...foreignRow(rows.signer, credentials.signer),
    ...foreignRow(rows.issuer, credentials.issuer),
    ...foreignRow(rows.signedAt, credentials.signedAt && numbers.stated(credentials.signedAt)),
    { label: rows.timestamp, value: hasTimestamp ? stamp.join(': ') : words.timestamp.absent },
    ...(credentials.identities ?? []).flatMap(({ name, provider, state }) => {
      const named = kept([name, provider]).join(', ') || labels.none;
      return foreignRow(rows.identity, `${named} (${words.identityStates[state]})`);
    }),
    ...foreignRow(rows.problems, reported.join('; '), 800),
    ...foreignRow(rows.ingredients, ingredientProblems.join('; '), 400),
    { label: rows.missing, value: missingOf(credentials, catalogue).join('; ') || labels.none },
  ];
}

/** The remaining details of the credentials, for an examiner who wants to check them. */
function credentialDetails(input: SectionInput): readonly Block[] {
  const { labels, numbers, catalogue, evidence } = input;
  const { rows } = labels;
  const { provenance: words } = catalogue;
  const { credentials } = evidence.provenance;
  if (credentials === null) return [];
  const { validity, trustListSha256, trustListSince, actions, codes = [] } = credentials;
  const days = [validity?.from, validity?.to].map((time = '') => numbers.stated(time.slice(0, 10)));
  // Lists do not state when they were published.
  const { undated, since } = words.trustListDate;
  const dated = trustListSince == null ? undated : since(numbers.stated(trustListSince));
  const list = trustListSha256 && `SHA-256 ${trustListSha256}\n${dated}`;
  const told = actions.map(({ action, software, when, digitalSourceType }) => {
    const name = nameIn(words.credentialActions, action.replace(/^c2pa\./, ''), action);
    const time = when && numbers.stated(when);
    return withDetails(name, [software, time, digitalSourceType?.replace(/^.*\//, '')]);
  });
  const details = [
    ...row(validity != null, rows.validity, days.join(' – ')),
    { label: rows.trustList, value: list ?? words.noTrustList },
    ...foreignRow(rows.claimGenerator, credentials.claimGenerator),
    ...foreignRow(rows.actions, told.join('; '), 800),
    { label: rows.manifests, value: numbers.count(credentials.manifests) },
    ...foreignRow(rows.codes, codes.join('; '), 800),
  ];
  return [heading(words.credentialsTitle), { kind: 'table', rows: details }];
}

/** What an examiner expects to find with a signature but is missing here. */
function missingOf(
  { hasTimestamp, trust, problems, identities = [], codes = [] }: ContentCredentials,
  { provenance: { missing } }: Words,
): readonly string[] {
  const isInForce = codes.some((code) => code.startsWith('signingCredential.ocsp.notRevoked'));
  return kept([
    problems.includes('signingCredential.expired') && missing.validity,
    !hasTimestamp && missing.timestamp,
    trust === 'not-checked' && missing.trustList,
    !isInForce && missing.revocation,
    identities.length === 0 && missing.identity,
  ]);
}

/** How many steps of a history are listed; the middle of a longer history is left out. */
const shownSteps = { first: 16, last: 8 } as const;

function writeHistory(input: SectionInput): string {
  const { history } = input.evidence.provenance;
  const { first, last } = shownSteps;
  const { catalogue, numbers } = input;
  const lines = history.map(({ action, software, when, parameters }) => {
    const day = when && numbers.stated(when.slice(0, 10));
    const name = nameIn(catalogue.provenance.historyActions, action, action);
    return printable(withDetails(name, [software, day, parameters]), valueLimit);
  });
  const leftOut = lines.length - first - last;
  if (leftOut <= 1) return lines.join('\n');
  const more = catalogue.provenance.moreSteps(numbers.count(leftOut));
  return [...lines.slice(0, first), more, ...lines.slice(-last)].join('\n');
}

function fileRows(input: SectionInput): readonly Row[] {
  const { examination, evidence, labels, catalogue } = input;
  const { rows } = labels;
  const { provenance: words } = catalogue;
  const { software, history } = evidence.provenance;
  const warnings = writeWarnings(examination.provenance, input.language);
  const named = software.map(({ kind, name, place }) =>
    withDetails(printable(name, 80), [words.software[kind], words.places[place]]),
  );
  return [
    { label: rows.namedSoftware, value: named.join('; ') || labels.none },
    ...row(history.length > 0, rows.history, writeHistory(input)),
    ...foreignRow(rows.provenanceWarnings, warnings.join(' '), 800),
  ];
}

/** What the quantisation tables and the layout of the file show about the program that wrote it. */
function structureRows(input: SectionInput): readonly Row[] {
  const { evidence, language } = input;
  const told = [
    ...evidence.findings.map(({ method, statement }) => ({ method, text: statement })),
    ...evidence.skipped.map(({ method, reason }) => ({ method, text: reason })),
  ];
  return told
    .filter(({ method }) => method === 'compression-tables' || method === 'file-layout')
    .map(({ method, text }) => ({
      label: methodName(input, method),
      value: printable(text[language]),
    }));
}

function inconsistencyBlocks({ evidence, language, catalogue }: SectionInput): readonly Block[] {
  const { inconsistencies } = evidence.provenance;
  const { provenance: words } = catalogue;
  const items = inconsistencies.map(({ statement }) => printable(statement[language]));
  return only(
    items.length > 0,
    heading(words.inconsistenciesTitle),
    { kind: 'list', items },
    note(words.inconsistenciesNote),
  );
}
