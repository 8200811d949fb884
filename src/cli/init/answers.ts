/** What `forensics init` asks for, and what becomes of it in the config file. */

import type { Settings } from '../../config.ts';
import { allowedFor, parseSetting } from '../../config/settings.ts';
import { ForensicsError } from '../../errors.ts';

/** Settings that differ from what the program does by itself. */
export type Chosen = Readonly<Partial<Settings>>;

export interface Answers {
  readonly settings: Chosen & Pick<Settings, 'dataDir'>;
  /** Null for a data folder that was set up before: its tenants and keys stay as they are. */
  readonly first: FirstAnswers | null;
}

export interface FirstAnswers {
  readonly tenantName: string;
  /** Where the first key goes; null shows it once. */
  readonly keyFile: string | null;
  /** Null for none. */
  readonly webhookUrl: string | null;
}

/** What is wrong with an answer that becomes a setting; null when nothing is. */
export function faultOf(name: keyof Settings): (answer: string) => string | null {
  return (answer) =>
    parseSetting(name, answer) === undefined ? `It must be ${allowedFor(name)}.` : null;
}

/** The same by a rule that throws. */
export function faultBy(rule: (answer: string) => unknown): (answer: string) => string | null {
  return (answer) => {
    try {
      rule(answer);
      return null;
    } catch (error) {
      if (error instanceof ForensicsError) return error.message;
      throw error;
    }
  };
}
