import { type FormEvent, useId, useRef, useState } from 'react';
import { sitePrefix } from '../../navigation/site-prefix.ts';
import { formatCount } from '../../ui/format.ts';
import { MAX_IDS, type Pasted, readPasted } from './pasted.ts';
import { addSites, getSiteList } from './site-list.ts';

/** What became of a text. */
interface Outcome extends Pasted {
  added: number;
  known: number;
}

const MAX_SHOWN = 5;
const MAX_LINE = 60;

/** Adds the sites of a pasted text to the list. The lines that were not taken stay in the field. */
export function PasteForm({ onAdded }: { onAdded(): void }) {
  const field = useId();
  const input = useRef<HTMLTextAreaElement>(null);
  const [outcome, setOutcome] = useState<Outcome>();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!input.current) return;
    const kept = new Set(getSiteList().ids);
    const pasted = readPasted(input.current.value, sitePrefix, MAX_IDS, kept);
    addSites(pasted.ids);
    const added = pasted.ids.filter((id) => !kept.has(id)).length;
    setOutcome({ ...pasted, added, known: pasted.ids.length - added });
    input.current.value = [...pasted.rejected, ...pasted.unread].join('\n');
    if (added > 0) onAdded();
    if (input.current.value !== '') input.current.focus();
  };
  const hasProblem = outcome !== undefined && outcome.rejected.length + outcome.unread.length > 0;
  return (
    <form className="paste-form" onSubmit={onSubmit}>
      <label htmlFor={field}>Ids, links, or a column of a spreadsheet</label>
      <textarea
        ref={input}
        id={field}
        rows={4}
        placeholder={`${sitePrefix}-1001\n1002`}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        required
        aria-describedby={`${field}-outcome`}
        {...(hasProblem && { 'aria-invalid': true })}
        onInput={() => setOutcome(undefined)}
      />
      <button type="submit">Add to my sites</button>
      <div id={`${field}-outcome`} role="status" className="paste-outcome">
        {outcome && <PasteOutcome outcome={outcome} />}
      </div>
    </form>
  );
}

function PasteOutcome({ outcome: { added, known, duplicates, rejected, unread } }: { outcome: Outcome }) {
  const repeated = known + duplicates;
  return (
    <>
      <p>
        {formatCount(added, 'site')} added.
        {repeated > 0 && ` ${formatCount(repeated, 'id')} ${repeated === 1 ? 'was' : 'were'} there already.`}
      </p>
      {rejected.length > 0 && (
        <div className="paste-problem">
          <p>
            {rejected.length === 1
              ? '1 line has no site id. It stays'
              : `${rejected.length} lines have no site id. They stay`}{' '}
            in the field. A site id looks like <code>{sitePrefix}-1001</code> or <code>1001</code>.
          </p>
          <ul>
            {rejected.slice(0, MAX_SHOWN).map((line, index) => (
              <li key={index}>
                <code>{line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line}</code>
              </li>
            ))}
          </ul>
          {rejected.length > MAX_SHOWN && <p>And {formatCount(rejected.length - MAX_SHOWN, 'more line')}.</p>}
        </div>
      )}
      {unread.length > 0 && (
        <p className="paste-problem">
          {formatCount(unread.length, 'line')} {unread.length === 1 ? 'was' : 'were'} not read, and{' '}
          {unread.length === 1 ? 'stays' : 'stay'} in the field: a list holds {MAX_IDS.toLocaleString('en')}{' '}
          sites, and a text a million characters.
        </p>
      )}
    </>
  );
}
