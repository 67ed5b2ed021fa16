/** The initials of a name, as DW of Dana Whitfield, beside the name itself. */
export function Avatar({ name }: { name: string }) {
  const words = name.split(/\s+/).filter((word) => word !== '');
  // By code points: an emoji has two units.
  const initials = [words[0], words.slice(1).at(-1)].map((word = '') => [...word][0] ?? '');
  return (
    <span className="avatar" aria-hidden="true">
      {initials.join('').toUpperCase()}
    </span>
  );
}
