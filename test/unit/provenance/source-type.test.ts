import { expect, test } from 'vitest';
import { originOfSourceType } from '../../../src/provenance/source-types.ts';

const scheme = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

test.each([
  ['trainedAlgorithmicMedia', 'ai-generated'],
  ['compositeWithTrainedAlgorithmicMedia', 'ai-manipulated'],
  ['digitalCapture', 'captured'],
  ['computationalCapture', 'captured'],
  ['negativeFilm', 'captured'],
  ['positiveFilm', 'captured'],
  ['print', 'captured'],
  ['algorithmicMedia', null],
  ['compositeCapture', null],
  ['screenCapture', null],
])('%s declares %s', (term, origin) => {
  expect(originOfSourceType(scheme + term)).toBe(origin);
});

test.each([
  'https://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia',
  'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia/',
  'http://c2pa.org/digitalsourcetype/trainedAlgorithmicData',
  'digsrctype:trainedAlgorithmicMedia',
  'trainedAlgorithmicMedia',
  ' trainedAlgorithmicMedia\n',
])('%j also means generated', (type) => {
  expect(originOfSourceType(type)).toBe('ai-generated');
});

test.each([
  null,
  '',
  'not trainedAlgorithmicMedia',
  'http://example.org/digitalsourcetype/trainedAlgorithmicMedia',
  'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMediaX',
  'constructor',
  '__proto__',
])('%j declares nothing', (type) => {
  expect(originOfSourceType(type)).toBeNull();
});
