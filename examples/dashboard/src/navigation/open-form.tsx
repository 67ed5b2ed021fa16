import { type FormEvent, useState } from 'react';
import { itemFrom, sitePrefix } from './id.ts';
import { navigate, pathOf } from './route.ts';

/** Opens a site or a conversation by its id, or a link of this app. */
export function OpenForm() {
  const [isRejected, setIsRejected] = useState(false);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = event.currentTarget.elements.namedItem('id') as HTMLInputElement;
    const path = pathIn(input.value);
    setIsRejected(path === undefined);
    if (path !== undefined) navigate(path);
    else input.focus();
  };
  return (
    <form className="open-form" onSubmit={onSubmit}>
      <input
        name="id"
        aria-label="Id of a site or a conversation"
        placeholder="Site or conversation id"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        required
        onInput={() => setIsRejected(false)}
        {...(isRejected && { 'aria-invalid': true, 'aria-describedby': 'open-problem' })}
      />
      <button type="submit">Open</button>
      {isRejected && (
        <p id="open-problem" role="alert">
          This is not an id. Enter a site’s, such as <code>{sitePrefix}-1001</code> or <code>1001</code>, a
          conversation’s, such as <code>5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00</code>, or a link to one.
        </p>
      )}
    </form>
  );
}

/** The path that a text names; undefined if it names none. */
function pathIn(text: string): string | undefined {
  const [table] = /\/sites\?\S+/.exec(text) ?? [];
  if (table) return table;
  const item = itemFrom(text);
  // A link to a message.
  const [fragment = ''] = (item?.page === 'conversation' && /#m-\d+(?=\s*$)/.exec(text)) || [];
  return item && pathOf(item) + fragment;
}
