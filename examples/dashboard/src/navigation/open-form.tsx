import { type FormEvent, useId } from 'react';
import { navigate, pathFor } from './route.ts';

/** Opens a site or a conversation by its id. */
export function OpenForm() {
  const field = useId();
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const id = String(new FormData(event.currentTarget).get('id') ?? '').trim();
    if (id !== '') navigate(pathFor(id));
  };
  return (
    <form className="open-form" onSubmit={onSubmit}>
      <label className="visually-hidden" htmlFor={field}>
        Id of a site or a conversation
      </label>
      <input
        id={field}
        name="id"
        placeholder="Site or conversation id"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        required
      />
      <button type="submit">Open</button>
    </form>
  );
}
