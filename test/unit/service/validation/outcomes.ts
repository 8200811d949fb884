/** Outcomes of a validation as the sandbox would return them. */

import { hash } from 'node:crypto';
import type { ReasonCode, ResultClass } from '../../../../src/contract/vocabulary.ts';
import type { Condition } from '../../../../src/examiner/requests.ts';
import type { Measurement } from '../../../../src/examiner/sandbox.ts';
import type { Measured } from '../../../../src/service/validation/record.ts';

export interface OutcomeParts {
  readonly isFake: boolean;
  readonly name: string;
  readonly folder?: string;
  /** Under every strategy and condition. */
  readonly resultClass?: ResultClass;
  readonly reasons?: readonly ReasonCode[];
  readonly fakeProbability?: number;
  readonly conditions?: readonly Condition[];
  readonly declaresGeneration?: boolean;
  readonly version?: string;
}

export function outcome(parts: OutcomeParts): Measured {
  const { isFake, name, folder = '', reasons = [] } = parts;
  const resultClass = parts.resultClass ?? (isFake ? 'fake' : 'real');
  const verdict = { resultClass, reasons };
  const measurement: Measurement = {
    sha256: hash('sha256', name),
    declaresGeneration: parts.declaresGeneration ?? false,
    model: { id: 'm', version: parts.version ?? '1', files: { 'model.onnx': 'ab'.repeat(32) } },
    environment: { node: '24' },
    readings: (parts.conditions ?? ['clean', 'web', 'hard']).map((condition) => ({
      condition,
      fakeProbability: parts.fakeProbability ?? (isFake ? 0.9 : 0.1),
      verdicts: { pedantic: verdict, default: verdict, relaxed: verdict },
    })),
  };
  return { isFake, folder, measurement };
}

/** `count` outcomes of one class, the first `wrong` of them classified as the other one. */
export function outcomes(
  count: number,
  { isFake, wrong = 0, ...rest }: Omit<OutcomeParts, 'name'> & { readonly wrong?: number },
): readonly Measured[] {
  return Array.from({ length: count }, (_, at) =>
    outcome({
      isFake,
      name: `${isFake ? 'fake' : 'real'} ${at}`,
      ...(at < wrong ? { resultClass: isFake ? 'real' : 'fake' } : {}),
      ...rest,
    }),
  );
}
