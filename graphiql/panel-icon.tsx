/** An icon as those in GraphiQL's bar: `path` is in a square of 20 by 20. */
export function panelIcon(path: string, strokeWidth = 1.6) {
  return function Icon() {
    return (
      <svg
        viewBox="0 0 20 20"
        fill="none"
        stroke="currentColor"
        strokeWidth={strokeWidth}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        <path d={path} />
      </svg>
    );
  };
}
