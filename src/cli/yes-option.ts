import { Option } from 'commander';

/** The one word for "I was asked already" of commands that cannot be undone. */
export function yesOption(description = 'do not ask'): Option {
  return new Option('--yes', description).default(false);
}
