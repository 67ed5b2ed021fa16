import { type FormEvent, useId, useRef, useState } from 'react';
import { itemFrom } from './id.ts';
import { navigate, pathOf } from './route.ts';
import { sitePrefix } from './site-prefix.ts';
import { sitesAddressIn, sitesPath } from './sites-address.ts';

/** Opens a site or a conversation by its id, or a link of this app. */
export function OpenForm() {
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  const [isRejected, setIsRejected] = useState(false);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const path = pathIn(input.current?.value ?? '');
    setIsRejected(path === undefined);
    if (path !== undefined) navigate(path);
    else input.current?.focus();
  };
  return (
    <form className="open-form" onSubmit={onSubmit}>
      <label className="visually-hidden" htmlFor={field}>
        Id of a site or a conversation
      </label>
      <input
        ref={input}
        id={field}
        placeholder="Site or conversation id"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        required
        onInput={() => setIsRejected(false)}
        {...(isRejected && { 'aria-invalid': true, 'aria-describedby': `${field}-problem` })}
      />
      <button type="submit">Open</button>
      {isRejected && (
        <p id={`${field}-problem`} role="alert">
          This is not an id. Enter a site’s, such as <code>{sitePrefix}-1001</code> or <code>1001</code>, a
          conversation’s, such as <code>5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00</code>, or a link to one.
        </p>
      )}
    </form>
  );
}

/** The path that a text names; undefined where it names none. */
function pathIn(text: string): string | undefined {
  const table = sitesAddressIn(text);
  if (table) return sitesPath(table);
  const item = itemFrom(text, sitePrefix);
  // A link to a message.
  const [fragment = ''] = (item?.page === 'conversation' && /#m-\d+(?=\s*$)/.exec(text)) || [];
  return item && pathOf(item) + fragment;
}
