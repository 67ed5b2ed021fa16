import { Link } from '../../navigation/link.tsx';
import { OpenForm } from '../../navigation/open-form.tsx';
import { forgetRecent, type Recent, useRecent } from '../../navigation/recent.ts';
import { conversationPath, sitePath } from '../../navigation/route.ts';
import { Section } from '../../ui/section.tsx';
import './start.css';

const conversation = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e0';
/** Pages of the demo data. Delete this list if the gateway reads the real REST API. */
const examples: readonly Recent[] = [
  { id: 'SITE-1001', path: sitePath('SITE-1001'), title: 'A home with three projects' },
  { id: 'SITE-1016', path: sitePath('SITE-1016'), title: 'A home with nine clients and eight projects' },
  {
    id: `${conversation}0`,
    path: conversationPath(`${conversation}0`),
    title: 'A leak, and its three sites',
  },
  { id: `${conversation}1`, path: conversationPath(`${conversation}1`), title: 'Three hundred messages' },
];

/** The first page: opens an id, or what was opened before. */
export function StartPage() {
  const recent = useRecent();
  return (
    <div className="start stack">
      <h1>Sites and conversations</h1>
      <p className="lead">Open one by its id.</p>
      <OpenForm />
      {recent.length > 0 && (
        <Section
          title="Recently opened"
          aside={
            <button type="button" className="quiet" onClick={forgetRecent}>
              Clear
            </button>
          }
        >
          <PageList pages={recent} />
        </Section>
      )}
      {examples.length > 0 && (
        <Section title="Demo examples">
          <PageList pages={examples} />
        </Section>
      )}
    </div>
  );
}

function PageList({ pages }: { pages: readonly Recent[] }) {
  return (
    <ul className="page-list">
      {pages.map(({ path, id, title }) => (
        <li key={path}>
          <Link to={path} className="row spread">
            <span>{title}</span>
            <code>{id}</code>
          </Link>
        </li>
      ))}
    </ul>
  );
}
