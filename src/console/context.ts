/** What every page knows: the user, the tenant, the language, and how to show a message. */

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { SessionState, UserInfo } from '../contract/auth.ts';
import type { Language } from '../contract/vocabulary.ts';
import { ApiError } from './api/client.ts';
import { fillIn, nameIn } from '../present/text.ts';
import { type Words, words } from './words/words.ts';

export interface Spoken extends Words {
  readonly language: Language;
  readonly setLanguage: (language: Language) => void;
}

interface Session extends Pick<SessionState, 'identity' | 'limits' | 'intake'> {
  readonly user: UserInfo;
  readonly tenantName: string;
  /** Whether the user may change settings. */
  readonly isManager: boolean;
  readonly setTenantName: (name: string) => void;
  readonly toast: (text: string) => void;
  readonly leave: () => void;
}

export type Context = Spoken & Session;

export const SpokenContext = createContext<Spoken>({
  ...words.en,
  language: 'en',
  setLanguage: () => undefined,
});
export const SessionContext = createContext<Session | null>(null);

export function useWords(): Spoken {
  return useContext(SpokenContext);
}

export function useConsole(): Context {
  const spoken = useWords();
  const session = useContext(SessionContext);
  if (session === null) throw new TypeError('There is no session here.');
  return { ...spoken, ...session };
}

const languageKey = 'forensics-language';

/** The language chosen in this browser, otherwise the one that the browser prefers. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(languageKey) ?? navigator.language;
  return chosen.startsWith('de') ? 'de' : 'en';
}

export function rememberLanguage(language: Language): void {
  localStorage.setItem(languageKey, language);
  document.documentElement.lang = language;
}

/** The message for an error: from `common` if that has one for the error's code, otherwise the server's own. */
export function messageOf(error: unknown, common: Words['common']): string {
  if (!(error instanceof ApiError)) return common.failed;
  if (error.status === 0) return common.unreachable;
  if (error.message === '') return common.failed;
  const { code, message } = error;
  return fillIn(nameIn(common.errors, code, '{message}'), { message });
}
