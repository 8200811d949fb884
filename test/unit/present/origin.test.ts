import { describe, expect, test } from 'vitest';
import type { Provenance } from '../../../src/provenance/provenance.ts';
import { noProvenance } from '../../../src/provenance/provenance.ts';
import { looksLikeCameraFile, writeOrigin } from '../../../src/present/origin.ts';
import { credentials } from './examination.ts';

const rich: Provenance = {
  ...noProvenance,
  credentials,
  software: [
    { kind: 'camera', name: 'Apple iPhone 15', place: 'exif' },
    { kind: 'firmware', name: 'iOS 17.5.1', place: 'exif' },
    { kind: 'editor', name: 'Adobe Photoshop CS', place: 'exif' },
    { kind: 'editor', name: 'Adobe Photoshop Camera Raw 8.6', place: 'xmp' },
  ],
  history: [
    { action: 'created', software: null, when: null, parameters: null },
    {
      action: 'saved',
      software: 'Adobe Photoshop Camera Raw 8.6',
      when: '2014-11-11T10:00:00+01:00',
      parameters: null,
    },
  ],
};

describe('the origin in a few words', () => {
  test('names credentials, editing programs, history and device', () => {
    expect(writeOrigin(rich, 'en')).toEqual([
      'Content Credentials (C2PA) intact, signed by Example Camera (not checked against a trust list, no time stamp)',
      'editing program Adobe Photoshop CS',
      'XMP history of 2 steps, the last with Adobe Photoshop Camera Raw 8.6, 2014-11-11',
      'camera Apple iPhone 15, iOS 17.5.1',
    ]);
    expect(writeOrigin(rich, 'de')).toEqual([
      'unversehrte Content Credentials (C2PA), signiert von Example Camera (mit keiner Vertrauensliste abgeglichen, ohne Zeitstempel)',
      'Bearbeitungsprogramm Adobe Photoshop CS',
      'XMP-Verlauf mit 2 Schritten, zuletzt mit Adobe Photoshop Camera Raw 8.6, 11.11.2014',
      'Kamera Apple iPhone 15, iOS 17.5.1',
    ]);
  });

  test('names three editing programs at most, and how many more there are', () => {
    const names = ['A 1', 'A 2', 'A 3', 'A 4', 'A 5'];
    const edited = {
      ...noProvenance,
      software: names.map((name) => ({ kind: 'editor', name, place: 'xmp' }) as const),
    };

    expect(writeOrigin(edited, 'en')[0]).toBe('editing programs A 1, A 2, A 3 and 2 more');
    expect(writeOrigin(edited, 'de')[0]).toBe('Bearbeitungsprogramme A 1, A 2, A 3 und 2 weitere');
  });

  test('says that a changed file no longer fits its credentials', () => {
    const broken = {
      ...noProvenance,
      credentials: { ...credentials, integrity: 'broken' as const },
    };

    expect(writeOrigin(broken, 'en')).toEqual([
      'Content Credentials (C2PA) signed by Example Camera, but the file was changed afterwards',
    ]);
  });

  test('of a file without statements is that it has none', () => {
    expect(writeOrigin(noProvenance, 'en')).toEqual(['no Content Credentials (C2PA)']);
  });
});

describe('a file looks like the camera’s own', () => {
  const camera: Provenance = {
    ...noProvenance,
    software: rich.software.slice(0, 2),
    quantisation: { kind: 'custom', name: null, quality: null },
  };

  test('with camera, firmware and tables of its own', () => {
    expect(looksLikeCameraFile(camera)).toBe(true);
  });

  test.each<[string, Partial<Provenance>]>([
    ['without a camera', { software: [] }],
    ['with an editing program', { software: rich.software }],
    ['with a history', { history: rich.history }],
    ['with standard tables', { quantisation: { kind: 'libjpeg', name: null, quality: 90 } }],
    ['as a PNG', { quantisation: null }],
  ])('but not %s', (_name, change) => {
    expect(looksLikeCameraFile({ ...camera, ...change })).toBe(false);
  });
});
