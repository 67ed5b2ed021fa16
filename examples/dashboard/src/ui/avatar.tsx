import { initialsOf } from './format.ts';

/** The initials of a name, beside the name itself. */
export function Avatar({ name }: { name: string }) {
  return (
    <span className="avatar" aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}
