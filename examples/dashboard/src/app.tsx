import { useEffect, useRef } from 'react';
import { ConversationPage } from './features/conversation/conversation-page.tsx';
import { LiveSwitch } from './features/live/live-switch.tsx';
import { SitePage } from './features/site/site-page.tsx';
import { SitesPage } from './features/sites/sites-page.tsx';
import { StartPage } from './features/start/start-page.tsx';
import icon from './icon.svg';
import { Link } from './navigation/link.tsx';
import { OpenForm } from './navigation/open-form.tsx';
import { type Route, routeFrom, useAddress } from './navigation/route.ts';
import { NotFound } from './states/view-page.tsx';

/** The frame of every page. */
export function App() {
  const path = useAddress('pathname');
  const main = useFocusOnNavigation(path);
  const route = routeFrom(path);
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <header className="masthead">
        <Link to="/" className="brand">
          <img src={icon} alt="" width="26" height="26" />
          Partner dashboard
        </Link>
        <nav>
          <Link to="/sites" {...(route.page === 'sites' && { 'aria-current': 'page' })}>
            My sites
          </Link>
        </nav>
        {route.page !== 'start' && <OpenForm key={path} />}
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

/** Moves the focus and the scroll position to a page that is opened by a link, as a browser does when it loads one. */
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
