import { settingNames, variableOf } from '../../config.ts';
import { nearWord } from '../near-word.ts';

/** Read by the command line alone: they are no settings of a server. */
const ofCommands = ['CONFIG', 'URL', 'PROFILE', 'API_KEY'].map((name) => `FORENSICS_${name}`);

/** Variables that look like one of ours with a slip in it: nobody reads them, and nothing else would tell. */
export function misspeltVariables(environment: NodeJS.ProcessEnv): readonly string[] {
  const known = [...settingNames.map(variableOf), ...ofCommands];
  return Object.keys(environment)
    .filter((name) => name.startsWith('FORENSICS_') && !known.includes(name))
    .map((name) => ({ name, meant: nearWord(name, known) }))
    .filter(({ meant }) => meant !== undefined)
    .map(({ name, meant }) => `${name} is not a setting and has no effect. Did you mean ${meant}?`);
}
