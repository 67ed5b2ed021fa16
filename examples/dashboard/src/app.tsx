import { useEffect, useRef } from 'react';
import { ConversationPage } from './features/conversation/conversation-page.tsx';
import { LiveSwitch } from './features/live/live-switch.tsx';
import { SitePage } from './features/site/site-page.tsx';
import { SitesPage } from './features/sites/sites-page.tsx';
import { StartPage } from './features/start/start-page.tsx';
import { Link } from './navigation/link.tsx';
import { OpenForm } from './navigation/open-form.tsx';
import { type Route, routeFrom, usePath } from './navigation/route.ts';
import { NotFound } from './states/not-found.tsx';

/** The frame of every page. */
export function App() {
  const path = usePath();
  const main = useFocusOnNavigation(path);
  const route = routeFrom(path);
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <header className="masthead">
        <Link to="/" className="brand">
          <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
            <rect width="32" height="32" rx="8" />
            <path d="M8 23V13.5L16 8l8 5.5V23M13 23v-7h6v7" />
          </svg>
          Partner dashboard
        </Link>
        {route.page !== 'start' && <OpenForm />}
        <LiveSwitch />
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {/* A key of its own for each page, so that no state of one is left in the next. */}
        <Page key={path} route={route} />
      </main>
    </>
  );
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case 'start':
      return <StartPage />;
    case 'sites':
      return <SitesPage />;
    case 'site':
      return <SitePage id={route.id} />;
    case 'conversation':
      return <ConversationPage id={route.id} />;
    default:
      return <NotFound what="Page" />;
  }
}

/** Moves the focus and the scroll position to a page that is opened by a link, as a browser does where it loads one. */
function useFocusOnNavigation(path: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    main.current?.focus({ preventScroll: true });
    // A page scrolls by itself to what its address names.
    if (location.hash === '') scrollTo(0, 0);
  }, [path]);
  return main;
}
