/**
 * The console: a client of `/v1` in the browser. This file restores the session or shows the login form, and draws the
 * frame around every page; the rest is in `pages`. It depends only on the API contract and the words of the reports.
 */

// oxlint-disable-next-line import/no-unassigned-import -- the build turns it into a file
import './style.css';
import { render, type VNode } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SessionState, UserInfo } from '../contract/auth.ts';
import {
  ApiError,
  ask,
  logIn,
  logOut,
  resume,
  sessionState,
  takeReturn,
  whenSessionEnds,
} from './api/client.ts';
import {
  preferredLanguage,
  rememberLanguage,
  SessionContext,
  type Spoken,
  SpokenContext,
  useConsole,
  useWords,
} from './context.ts';
import { words } from './words/words.ts';
import {
  AccountPage,
  Alone,
  Brand,
  LanguageSwitch,
  LoginPage,
  type LoginReason,
} from './pages/account.tsx';
import { forManagers, type Place, places, readRoute, type Route } from './places.ts';
import { AnalysesPage } from './pages/analyses.tsx';
import { AnalysisPage } from './pages/analysis.tsx';
import { AuditPage } from './pages/audit.tsx';
import { CasePage } from './pages/case.tsx';
import { ComparePage } from './pages/compare.tsx';
import { HelpPage, ManualPage } from './pages/help.tsx';
import { HoldsPage } from './pages/holds.tsx';
import { KeysPage } from './pages/keys.tsx';
import { TenantPage, UsagePage } from './pages/tenant.tsx';
import { UsersPage } from './pages/users.tsx';
import { VerifyPage } from './pages/verify.tsx';
import { useAct } from './parts/form.tsx';
import { Button, PageTitle } from './parts/pieces.tsx';

interface Visit {
  readonly state: SessionState;
  readonly user: UserInfo | null;
  /** Why the login is shown. If a user's session has `expired`, the open page stays in place behind it. */
  readonly reason: LoginReason;
}

const retryMs = 3000;

function App() {
  const [language, setLanguage] = useState(preferredLanguage);
  const { visit, isUnreachable, find, entered } = useVisit();
  const { user = null, reason = null } = visit ?? {};
  const route = useRoute();
  useEffect(() => rememberLanguage(language), [language]);
  const spoken: Spoken = {
    ...words[language],
    language,
    setLanguage: (lang) => {
      setLanguage(lang);
      // If the account cannot store settings, the browser does.
      if (user === null) return;
      void ask('/v1/user/settings', { method: 'PUT', body: { lang } }).catch(() => null);
    },
  };
  const [first, token = ''] = route.path;
  return (
    <SpokenContext.Provider value={spoken}>
      {isUnreachable && (
        <p class="center" role="alert">
          {spoken.common.unreachable}
        </p>
      )}
      {visit !== null && (user === null || reason === 'expired') && (
        <LoginPage {...visit} token={first === 'first' ? token : null} onEntered={entered} />
      )}
      {visit !== null && user !== null && (
        <div hidden={reason === 'expired'}>
          <Shell
            key={user.id}
            {...{ ...visit, user, route }}
            onLeft={() => void find('loggedOut')}
          />
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

function useVisit() {
  const [visit, setVisit] = useState<Visit | null>(null);
  const [isUnreachable, setUnreachable] = useState(false);

  const find = useCallback(async (before: LoginReason): Promise<void> => {
    try {
      const state = await sessionState();
      setVisit({ state, ...(await enter(before, state)) });
      setUnreachable(false);
    } catch {
      setVisit(null);
      setUnreachable(true);
      setTimeout(() => void find(before), retryMs);
    }
  }, []);

  useEffect(() => {
    whenSessionEnds(() => setVisit((was) => was && { ...was, reason: 'expired' }));
    void find(null);
  }, []);

  const entered = (user: UserInfo) =>
    setVisit(
      (was) => was && { state: { ...was.state, needsFirstUser: false }, user, reason: null },
    );
  return { visit, isUnreachable, find, entered };
}

/** Continues the session that the cookie belongs to, or completes a login at the identity provider. */
async function enter(
  before: LoginReason,
  { hasSession }: SessionState,
): Promise<Pick<Visit, 'user' | 'reason'>> {
  const grant = takeReturn();
  if (grant === null || grant === 'refused') {
    const user = hasSession ? await resume() : null;
    return { user, reason: grant === null ? before : 'failedElsewhere' };
  }
  try {
    return { user: await logIn(grant), reason: before };
  } catch (error) {
    if (error instanceof ApiError && error.isTemporary) throw error;
    return { user: null, reason: 'failedElsewhere' };
  }
}

// The frame around every page: navigation, tenant, and messages.

interface ShellProps extends Pick<Visit, 'state'> {
  readonly user: UserInfo;
  readonly route: Route;
  readonly onLeft: () => void;
}

const tenantKey = 'forensics-tenant';
const toastMs = 8000;

function Shell({ user, state, route, onLeft }: ShellProps) {
  const { login, nav } = useWords();
  const { tenantName, setTenantName } = useTenantName(user);
  const [isOpen, setOpen] = useState(false);
  const { toast, setToast } = useToast();
  const main = usePlaceFocus(route.path.join('/'), () => setOpen(false));

  if (tenantName === null) {
    return (
      <Alone title="forensics">
        <p>{login.noTenant}</p>
        <Button onClick={() => void logOut(false).then(onLeft)}>{nav.logOut}</Button>
      </Alone>
    );
  }
  const skip = (event: Event): void => {
    event.preventDefault();
    main.current?.focus();
  };
  const { identity, limits, intake } = state;
  const session = {
    user,
    identity,
    limits,
    intake,
    tenantName,
    setTenantName,
    leave: onLeft,
    isManager: user.scopes.includes('settings'),
    toast: (text: string) => setToast({ text }),
  };
  return (
    <SessionContext.Provider value={session}>
      <div class="frame">
        <aside class={isOpen ? 'side open' : 'side'} aria-label="forensics">
          <div class="row apart">
            <a class="hidden" href="#main" onClick={skip}>
              {nav.skip}
            </a>
            <Brand />
            <Button kind="little menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {nav.menu}
            </Button>
          </div>
          <Navigation here={route.path[0] ?? 'analyses'} />
          <WhoPanel />
        </aside>
        <main id="main" ref={main} tabIndex={-1}>
          <Page key={tenantName} route={route} />
        </main>
      </div>
      <div role="status">{toast !== null && <div class="panel toast">{toast.text}</div>}</div>
    </SessionContext.Provider>
  );
}

/** A message that disappears after a few seconds. */
function useToast() {
  // An object, so that the same text again is shown for the full time.
  const [toast, setToast] = useState<{ readonly text: string } | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setToast(null), toastMs);
    return () => clearTimeout(timer);
  }, [toast]);
  return { toast, setToast };
}

/** Moves the focus to the top of a new page, for screen readers and keyboards; not on the first page. */
function usePlaceFocus(place: string, onMove: () => void) {
  const main = useRef<HTMLElement>(null);
  // Done before the browser paints, so that a key pressed immediately goes there.
  useLayoutEffect(() => {
    onMove();
    if (main.current?.dataset['place'] !== undefined) main.current.focus();
    if (main.current !== null) main.current.dataset['place'] = place;
    scrollTo(0, 0);
  }, [place]);
  return main;
}

function WhoPanel() {
  const { nav, user, tenantName, setTenantName, leave } = useConsole();
  const { isBusy, run } = useAct();
  const end = () => run(() => logOut(false).then(leave));
  return (
    <div class="stack small">
      {user.tenants.length > 1 && (
        <select
          aria-label={nav.tenant}
          value={tenantName}
          onChange={({ currentTarget }) => setTenantName(currentTarget.value)}
        >
          {user.tenants.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      <span>{user.name ?? user.email}</span>
      <div class="row">
        <Button kind="little" disabled={isBusy} onClick={end}>
          {nav.logOut}
        </Button>
        <LanguageSwitch />
      </div>
    </div>
  );
}

/** The tenant last open in this browser, otherwise the first; null for a user without tenants. */
function useTenantName({ tenants }: UserInfo) {
  const [tenantName, setTenant] = useState(() => {
    const remembered = localStorage.getItem(tenantKey);
    return tenants.find((name) => name === remembered) ?? tenants[0] ?? null;
  });
  const setTenantName = (name: string): void => {
    localStorage.setItem(tenantKey, name);
    setTenant(name);
  };
  return { tenantName, setTenantName };
}

function Navigation({ here }: { readonly here: string }) {
  const { nav, isManager } = useConsole();
  const current =
    here === 'analysis' || here === 'case' ? 'analyses' : here === 'manual' ? 'help' : here;
  const isShown = (place: Place) => isManager || !forManagers.some((each) => each === place);
  return (
    <nav class="nav stack" aria-label={nav.label}>
      {places.map((group: readonly Place[], at) => [
        at > 0 && <hr />,
        group.filter(isShown).map((place) => (
          <a
            key={place}
            class="button quiet"
            href={`#/${place}`}
            aria-current={place === current ? 'page' : undefined}
          >
            {nav[place]}
          </a>
        )),
      ])}
    </nav>
  );
}

function Page({ route: { path, query } }: { readonly route: Route }) {
  const { common, nav, isManager } = useConsole();
  const [first = 'analyses', second = ''] = path;
  const forbidden = isManager ? undefined : forManagers.find((place) => place === first);
  if (forbidden !== undefined) {
    return (
      <>
        <PageTitle text={nav[forbidden]} />
        <p class="notice">{common.noAccess}</p>
      </>
    );
  }
  return pages[first]?.(second, query) ?? <h1>{common.pageNotFound}</h1>;
}

/** Pages by the first part of their address; they are drawn from its second part and its query. */
const pages: Readonly<Record<string, (second: string, query: URLSearchParams) => VNode>> = {
  analyses: () => <AnalysesPage />,
  analysis: (id, query) => {
    const otherId = query.get('with');
    if (otherId !== null) return <ComparePage key={id} id={id} otherId={otherId} />;
    return <AnalysisPage key={id} id={id} tab={query.get('tab')} />;
  },
  case: (name) => <CasePage key={name} name={name} />,
  // The one-time link from the first start, if it is opened a second time.
  first: () => <AnalysesPage />,
  verify: () => <VerifyPage />,
  usage: () => <UsagePage />,
  keys: () => <KeysPage />,
  tenant: (_second, query) => <TenantPage query={query} />,
  users: () => <UsersPage />,
  holds: () => <HoldsPage />,
  audit: () => <AuditPage />,
  account: () => <AccountPage />,
  help: () => <HelpPage />,
  manual: (topic) => <ManualPage topic={topic} />,
};

render(<App />, document.getElementById('app')!);
