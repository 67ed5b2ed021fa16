import { type ClipboardEvent, type FormEvent, useRef, useState } from 'react';
import { client } from '../../gateway/client.ts';
import { problemAt, problemsFrom } from '../../gateway/problems.ts';
import { reportFrom } from '../../gateway/report.ts';
import { itemsIn, sitePrefix } from '../../navigation/id.ts';
import { formatCount } from '../../ui/format.ts';
import { addSites, getSiteList, MAX_SITES } from './site-list.ts';
import { sitesPageQuery } from './sites-page.query.ts';

/** One operation may read that many sites. The further ones of a text are read with their page of the table. */
const MAX_ASKED = 50;
const MAX_SHOWN = 5;
/** A browser takes seconds to show a longer text. */
const MAX_CHARACTERS = 20_000;

/** Adds the sites of a text to the list, and asks about those that the REST API does not know. */
export function AddSites() {
  const input = useRef<HTMLTextAreaElement>(null);
  const [outcome, setOutcome] = useState('');
  const [unknown, setUnknown] = useState<readonly string[]>([]);

  async function add(event: FormEvent) {
    event.preventDefault();
    const sites = sitesIn(input.current?.value ?? '');
    const kept = new Set(getSiteList().ids);
    const found = sites.filter((id) => !kept.has(id));
    setOutcome('Reading…');
    const missing = await unknownOf(found.slice(0, MAX_ASKED));
    addSites(found.filter((id) => !missing.includes(id)));
    setUnknown(missing);
    setOutcome(
      sites.length === 0
        ? noSite
        : outcomeOf(getSiteList().ids.length - kept.size, sites.length - found.length),
    );
    if (input.current && sites.length > 0) input.current.value = missing.join('\n');
  }

  /** Only the ids of a long text come into the field. */
  function paste(event: ClipboardEvent<HTMLTextAreaElement>) {
    const text = event.clipboardData.getData('text');
    if (text.length <= MAX_CHARACTERS) return;
    event.preventDefault();
    const sites = sitesIn(text);
    event.currentTarget.value += sites.join('\n');
    setOutcome(sites.length === 0 ? noSite : `${formatCount(sites.length, 'id')} found.`);
  }

  function addUnknown() {
    addSites(unknown);
    setUnknown([]);
    setOutcome(outcomeOf(unknown.length, 0));
    if (input.current) input.current.value = '';
  }

  return (
    <form className="add-sites stack" onSubmit={add}>
      <label htmlFor="add-sites">Any text with ids: a mail, links, or a column of a spreadsheet</label>
      <textarea
        ref={input}
        id="add-sites"
        rows={3}
        placeholder={`${sitePrefix}-1001\n1002`}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        required
        aria-describedby="add-sites-outcome"
        onInput={() => setOutcome('')}
        onPaste={paste}
      />
      <button type="submit">Add to my sites</button>
      <div id="add-sites-outcome" role="status">
        {outcome && <p>{outcome}</p>}
        {unknown.length > 0 && (
          <p>
            The REST API does not know <strong>{unknown.slice(0, MAX_SHOWN).join(', ')}</strong>
            {unknown.length > MAX_SHOWN && ` and ${formatCount(unknown.length - MAX_SHOWN, 'more id')}`}.{' '}
            <button type="button" onClick={addUnknown}>
              Add anyway
            </button>
          </p>
        )}
      </div>
    </form>
  );
}

const noSite = `There is no site id in this text. A site id looks like ${sitePrefix}-1001 or 1001.`;

const sitesIn = (text: string) => itemsIn(text).flatMap(({ page, id }) => (page === 'site' ? id : []));

function outcomeOf(added: number, known: number): string {
  const isFull = getSiteList().ids.length === MAX_SITES;
  return [
    `${formatCount(added, 'site')} added.`,
    known > 0 ? `${formatCount(known, 'id')} ${known === 1 ? 'was' : 'were'} there already.` : '',
    isFull ? `The list is full: it holds ${MAX_SITES.toLocaleString('en')} sites.` : '',
  ].join(' ');
}

/** The ids for which the REST API has no site; one that failed for another reason may exist. */
async function unknownOf(ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { data, error, extensions } = await client.query(sitesPageQuery, { ids });
  const problems = error ? problemsFrom(error) : [];
  if (!data || reportFrom(extensions).omittedErrors > 0) return [];
  return ids.filter((_, index) => !data.sites[index] && !problemAt(problems, 'sites', index));
}
