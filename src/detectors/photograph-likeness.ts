import type { Detector, Finding } from './finding.ts';

export const photographLikeness: Detector = {
  method: 'photograph-likeness',
  examine: () => ({ method: 'photograph-likeness', reason: 'not yet' }),
};

export function isPhotograph(findings: readonly Finding[]): boolean {
  const finding = findings.find(({ method }) => method === photographLikeness.method);
  return finding === undefined || finding.measures['isPhotograph'] === 1;
}
