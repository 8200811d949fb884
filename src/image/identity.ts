/** Values that files of the same origin share, so that an equal value in two files suggests a common origin. */

import type { Metadata, Tags } from './metadata.ts';

export const identityKinds = ['camera', 'document', 'settings'] as const;

export interface IdentityFact {
  readonly kind: (typeof identityKinds)[number];
  readonly value: string;
}

const serialFields = ['BodySerialNumber', 'CameraSerialNumber', 'SerialNumber'] as const;
/** Ids that editing programs copy from file to file, or that name the original file. */
const documentFields = [
  'DocumentID',
  'OriginalDocumentID',
  'InstanceID',
  'DerivedFrom/documentID',
  'DerivedFrom/originalDocumentID',
  'DerivedFrom/instanceID',
] as const;
/** Fields in which generators record prompt and seed. */
const settingsFields = [
  'parameters',
  'prompt',
  'Dream',
  'sd-metadata',
  'invokeai_metadata',
  'Comment',
  'UserComment',
] as const;

/** Minimum lengths, because shorter texts are too likely to be equal by chance. */
const least = { serial: 5, document: 16, settings: 40 } as const;

export function readIdentity(metadata: Metadata): readonly IdentityFact[] {
  const { exif, xmp, pngText, cameraMake, cameraModel } = metadata;
  const serial = serialFields
    .map((name) => textOf(exif[name] ?? xmp[name]))
    .find((it) => it !== '');
  const isSerial = serial !== undefined && serial.length >= least.serial && /[1-9]/.test(serial);
  const documents = documentFields
    .map((name) => textOf(xmp[name]).toLowerCase())
    .filter((id) => id.length >= least.document);
  const settings = settingsFields
    .map((name) => textOf(pngText[name] ?? exif[name]))
    .filter((text) => text.length >= least.settings && /seed/i.test(text));
  return [
    ...(isSerial
      ? [{ kind: 'camera' as const, value: [cameraMake, cameraModel, serial].join('\n') }]
      : []),
    ...[...new Set(documents)].map((value) => ({ kind: 'document' as const, value })),
    ...[...new Set(settings)].map((value) => ({ kind: 'settings' as const, value })),
  ];
}

function textOf(value: Tags[string] | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
