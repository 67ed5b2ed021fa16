import { Link } from '../../navigation/link.tsx';
import { OpenForm } from '../../navigation/open-form.tsx';
import { forgetRecent, type Recent, useRecent } from '../../navigation/recent.ts';
import { Section } from '../../ui/section.tsx';
import { examples } from './examples.ts';
import './start.css';

/** The first page: opens an id, or what was opened before. */
export function StartPage() {
  const recent = useRecent();
  return (
    <div className="start">
      <h1>Sites and conversations</h1>
      <p className="lead">Open one by its id.</p>
      <OpenForm />
      <p>
        Or see several at once: <Link to="/sites">My sites</Link>, in one table.
      </p>
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
      <Section title="Examples of the demo">
        <PageList pages={examples} />
      </Section>
    </div>
  );
}

function PageList({ pages }: { pages: readonly Recent[] }) {
  return (
    <ul className="page-list">
      {pages.map(({ path, id, title }) => (
        <li key={path}>
          <Link to={path}>
            <span>{title}</span>
            <code>{id}</code>
          </Link>
        </li>
      ))}
    </ul>
  );
}
