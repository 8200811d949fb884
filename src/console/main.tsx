/**
 * The console: a client of `/v1` in the browser. This file restores the session or shows the login form; the rest is in
 * `pages`. It depends only on the API contract and the words of the reports.
 */

// oxlint-disable-next-line import/no-unassigned-import -- the build turns it into a file
import './style.css';
import { render } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { SessionState, UserInfo } from '../contract/auth.ts';
import { ApiError, ask, logIn, resume, sessionState, whenSessionEnds } from './api/client.ts';
import { takeReturn } from './api/elsewhere.ts';
import {
  preferredLanguage,
  rememberLanguage,
  type Spoken,
  SpokenContext,
  wordsOf,
} from './context.ts';
import { LoginPage, type LoginReason } from './pages/account.tsx';
import { readRoute, type Route } from './places.ts';
import { Shell } from './shell.tsx';

type Who =
  | { readonly is: 'unknown' }
  | { readonly is: 'unreachable' }
  | { readonly is: 'nobody'; readonly state: SessionState; readonly reason: LoginReason }
  | { readonly is: 'person'; readonly user: UserInfo; readonly state: SessionState };

const retryMs = 3000;

function App() {
  const [language, setLanguage] = useState(preferredLanguage);
  const { who, isExpired, find, entered } = useWho();
  const route = useRoute();
  useEffect(() => rememberLanguage(language), [language]);
  const spoken: Spoken = {
    ...wordsOf(language),
    language,
    setLanguage: (lang) => {
      setLanguage(lang);
      // If the account cannot store settings, the browser does.
      if (who.is === 'person') {
        void ask('/v1/user/settings', { method: 'PUT', body: { lang } }).catch(() => null);
      }
    },
  };
  const [first, token = ''] = route.path;
  return (
    <SpokenContext.Provider value={spoken}>
      {who.is === 'unreachable' && (
        <p class="center" role="alert">
          {spoken.common.unreachable}
        </p>
      )}
      {who.is === 'nobody' && (
        <LoginPage {...who} token={first === 'first' ? token : null} onEntered={entered} />
      )}
      {who.is === 'person' && isExpired && (
        <LoginPage
          state={{ ...who.state, needsFirstUser: false }}
          reason="expired"
          token={null}
          onEntered={entered}
        />
      )}
      {who.is === 'person' && (
        <div hidden={isExpired}>
          <Shell key={who.user.id} {...who} route={route} onLeft={() => void find('loggedOut')} />
        </div>
      )}
    </SpokenContext.Provider>
  );
}

function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const change = () => setRoute(readRoute(location.hash));
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  return route;
}

/** The session of this browser. */
function useWho() {
  const [who, setWho] = useState<Who>({ is: 'unknown' });
  // When a session has expired, the open page stays in place behind the login.
  const [isExpired, setExpired] = useState(false);

  const find = useCallback(async (reason: LoginReason): Promise<void> => {
    try {
      const state = await sessionState();
      const { user, why } = await enter(reason, state);
      if (user === null) setWho({ is: 'nobody', state, reason: why });
      else setWho({ is: 'person', user, state });
    } catch {
      setWho({ is: 'unreachable' });
      setTimeout(() => void find(reason), retryMs);
    }
  }, []);

  useEffect(() => {
    whenSessionEnds(() => setExpired(true));
    void find(null);
  }, []);

  const entered = (user: UserInfo) => {
    setExpired(false);
    setWho((was) => ('state' in was ? { is: 'person', user, state: was.state } : was));
  };
  return { who, isExpired, find, entered };
}

/** Continues the session that the cookie belongs to, or completes a login at the identity provider. */
async function enter(
  reason: LoginReason,
  { hasSession }: SessionState,
): Promise<{ readonly user: UserInfo | null; readonly why: LoginReason }> {
  const grant = takeReturn();
  if (grant === null || grant === 'refused') {
    const user = hasSession ? await resume() : null;
    return { user, why: grant === null ? reason : 'failedElsewhere' };
  }
  try {
    return { user: await logIn(grant), why: reason };
  } catch (error) {
    if (error instanceof ApiError && error.isTemporary) throw error;
    return { user: null, why: 'failedElsewhere' };
  }
}

render(<App />, document.getElementById('app')!);
