/** What the file says about its own origin and history, and whether that is consistent; the annex has the details. */

import type { ContentCredentials, Declaration, HistoryStep } from '../../provenance/provenance.ts';
import { readSourceType } from '../../provenance/source-types.ts';
import { writeWarnings } from '../findings.ts';
import type { NumberWriter } from '../numbers.ts';
import { nameIn, printable } from '../printable.ts';
import type { Words } from '../wording/catalogue.ts';
import {
  type Block,
  grid,
  type GridRow,
  heading,
  note,
  only,
  paragraph,
  type Row,
  row,
  type SectionInput,
  foreignRow,
  valueLimit,
  withEscapes,
} from './blocks.ts';
import { methodName } from './findings.ts';

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
    ...(credentials === null
      ? []
      : [
          heading(words.credentialsTitle),
          { kind: 'table', rows: credentialRows(input, credentials) } as const,
          note(words.credentialsNote),
        ]),
    ...only(hasOwn, heading(words.fileTitle)),
    { kind: 'table', rows: [...fileRows(input), ...absentRows(input)] },
    ...inconsistencyBlocks(input),
  ];
  return withEscapes(blocks, input.labels);
}

/** Rows for what was looked for but not found. */
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
        [
          type === null ? printable(value, valueLimit) : `${type}: ${words.sourceTypes[type]}`,
          ...(generator === null || value.includes(generator) ? [] : [printable(generator, 80)]),
        ].join('\n'),
        words.assurances[assurance],
      ],
    };
  };
  return grid(words.columns, [0.18, 0.2, 0.4, 0.22], evidence.provenance.declarations.map(toRow));
}

function credentialRows(input: SectionInput, credentials: ContentCredentials): readonly Row[] {
  const { labels, numbers, catalogue } = input;
  const { rows } = labels;
  const { provenance: words } = catalogue;
  const { integrity, trust, hasTimestamp, problems, ingredientProblems = [] } = credentials;
  // Without a trust list no signer is trusted, which says nothing about the file.
  const reported = problems.filter(
    (problem) => trust !== 'not-checked' || problem !== 'signingCredential.untrusted',
  );
  return [
    { label: rows.credentialsIntegrity, value: words.integrity[integrity] },
    { label: rows.credentialsTrust, value: words.trust[trust] },
    ...foreignRow(rows.signer, credentials.signer),
    ...foreignRow(rows.issuer, credentials.issuer),
    ...foreignRow(
      rows.signedAt,
      credentials.signedAt === null ? null : numbers.stated(credentials.signedAt),
    ),
    {
      label: rows.timestamp,
      value: hasTimestamp
        ? [words.timestamp.present, printable(credentials.authority ?? '', 80)]
            .filter(Boolean)
            .join(': ')
        : words.timestamp.absent,
    },
    ...(credentials.identities ?? []).flatMap(({ name, provider, state }) =>
      foreignRow(
        rows.identity,
        `${[name, provider].filter(Boolean).join(', ') || labels.none} (${words.identityStates[state]})`,
      ),
    ),
    ...foreignRow(rows.problems, reported.join('; '), 800),
    ...foreignRow(rows.ingredients, ingredientProblems.join('; '), 400),
    { label: rows.missing, value: missingOf(credentials, catalogue).join('; ') || labels.none },
  ];
}

/** The remaining details of the credentials, for an examiner who wants to check them. */
export function credentialDetails(input: SectionInput): readonly Block[] {
  const { labels, numbers, catalogue, evidence } = input;
  const { rows } = labels;
  const { provenance: words } = catalogue;
  const { credentials } = evidence.provenance;
  if (credentials === null) return [];
  const { validity, trustListSha256, actions, codes = [] } = credentials;
  return [
    heading(words.credentialsTitle),
    {
      kind: 'table',
      rows: [
        ...(validity == null
          ? []
          : [{ label: rows.validity, value: writeValidity(validity, numbers) }]),
        {
          label: rows.trustList,
          value:
            trustListSha256 === null
              ? words.noTrustList
              : `SHA-256 ${trustListSha256}\n${writeListDate(credentials, input)}`,
        },
        ...foreignRow(rows.claimGenerator, credentials.claimGenerator),
        ...foreignRow(
          rows.actions,
          actions.map((action) => writeAction(action, words, numbers)).join('; '),
          800,
        ),
        { label: rows.manifests, value: numbers.count(credentials.manifests) },
        ...foreignRow(rows.codes, codes.join('; '), 800),
      ],
    },
  ];
}

/** What an examiner expects to find with a signature but is missing here. */
function missingOf(
  { hasTimestamp, trust, problems, identities = [], codes = [] }: ContentCredentials,
  { provenance: { missing } }: Words,
): readonly string[] {
  return [
    ...(problems.includes('signingCredential.expired') ? [missing.validity] : []),
    ...(hasTimestamp ? [] : [missing.timestamp]),
    ...(trust === 'not-checked' ? [missing.trustList] : []),
    ...(codes.some((code) => code.startsWith('signingCredential.ocsp.notRevoked'))
      ? []
      : [missing.revocation]),
    ...(identities.length === 0 ? [missing.identity] : []),
  ];
}

/** When the trust list dates from: lists do not state when they were published. */
function writeListDate(
  { trustListSince }: ContentCredentials,
  { catalogue, numbers }: SectionInput,
): string {
  const { undated, since } = catalogue.provenance.trustListDate;
  return trustListSince == null ? undated : since(numbers.stated(trustListSince));
}

function writeValidity(
  { from, to }: NonNullable<ContentCredentials['validity']>,
  numbers: NumberWriter,
): string {
  return [from, to].map((time) => numbers.stated(time.slice(0, 10))).join(' – ');
}

function writeAction(
  { action, software, when, digitalSourceType }: ContentCredentials['actions'][number],
  words: Words['provenance'],
  numbers: NumberWriter,
): string {
  const name = nameIn(words.credentialActions, action.replace(/^c2pa\./, ''), action);
  const time = when === null ? null : numbers.stated(when);
  const details = [software, time, digitalSourceType?.replace(/^.*\//, '')].filter(Boolean);
  return details.length === 0 ? name : `${name} (${details.join(', ')})`;
}

/** How many steps of a history are listed; the middle of a longer history is left out. */
const shownSteps = { first: 16, last: 8 } as const;

function writeHistory(input: SectionInput): string {
  const { history } = input.evidence.provenance;
  const { first, last } = shownSteps;
  const lines = history.map((step) => printable(writeStep(step, input), valueLimit));
  const leftOut = lines.length - first - last;
  if (leftOut <= 1) return lines.join('\n');
  const more = input.catalogue.provenance.moreSteps(input.numbers.count(leftOut));
  return [...lines.slice(0, first), more, ...lines.slice(-last)].join('\n');
}

function writeStep(
  { action, software, when, parameters }: HistoryStep,
  { catalogue: { provenance: words }, numbers }: SectionInput,
): string {
  const day = when === null ? null : numbers.stated(when.slice(0, 10));
  const details = [software, day, parameters].filter(Boolean);
  const told = nameIn(words.historyActions, action, action);
  return details.length === 0 ? told : `${told} (${details.join(', ')})`;
}

function fileRows(input: SectionInput): readonly Row[] {
  const { examination, evidence, labels, catalogue } = input;
  const { rows } = labels;
  const { provenance: words } = catalogue;
  const { software, history } = evidence.provenance;
  const warnings = writeWarnings(examination.provenance, input.language);
  const named = software.map(
    ({ kind, name, place }) =>
      `${printable(name, 80)} (${[words.software[kind], words.places[place]].filter(Boolean).join(', ')})`,
  );
  return [
    { label: rows.namedSoftware, value: named.join('; ') || labels.none },
    ...row(history.length > 0, rows.history, writeHistory(input)),
    ...foreignRow(rows.provenanceWarnings, warnings.join(' '), 800),
  ];
}

/** What the quantisation tables and the layout of the file show about the program that wrote it. */
export function structureRows(input: SectionInput): readonly Row[] {
  const { evidence, language } = input;
  const told = [
    ...evidence.findings.map(({ method, statement }) => ({ method, text: statement })),
    ...evidence.skipped.map(({ method, reason }) => ({ method, text: reason })),
  ];
  return told
    .filter(({ method }) => method === 'compression-tables' || method === 'file-layout')
    .map(({ method, text }) => ({
      label: methodName(input, method),
      value: printable(text[language], 600),
    }));
}

function inconsistencyBlocks({ evidence, language, catalogue }: SectionInput): readonly Block[] {
  const { inconsistencies } = evidence.provenance;
  const { provenance: words } = catalogue;
  const items = inconsistencies.map(({ statement }) => printable(statement[language], 600));
  return only(
    items.length > 0,
    heading(words.inconsistenciesTitle),
    { kind: 'list', items },
    note(words.inconsistenciesNote),
  );
}
