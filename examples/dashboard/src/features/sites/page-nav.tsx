/** Opens another page of the table. The buttons stay where they are, so that they keep the focus. */
export function PageNav({
  page,
  pages,
  onOpen,
}: {
  page: number;
  pages: number;
  onOpen(page: number): void;
}) {
  const step = (next: number, label: string) => {
    const isThere = next >= 1 && next <= pages;
    return (
      <button type="button" aria-disabled={!isThere} onClick={() => isThere && onOpen(next)}>
        {label}
      </button>
    );
  };
  return (
    <nav className="page-nav" aria-label="Pages of the table">
      {step(page - 1, 'Previous')}
      <label>
        Page{' '}
        <select value={page} onChange={(event) => onOpen(Number(event.target.value))}>
          {Array.from({ length: pages }, (_, index) => (
            <option key={index + 1} value={index + 1}>
              {index + 1}
            </option>
          ))}
        </select>{' '}
        of {pages}
      </label>
      {step(page + 1, 'Next')}
    </nav>
  );
}
