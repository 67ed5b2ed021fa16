/** The shape of lines that are still to come. */
export function Skeleton({ lines, label }: { lines: number; label: string }) {
  return (
    <div className="skeleton">
      <span className="visually-hidden">{label}</span>
      {[...Array(lines).keys()].map((line) => (
        <span key={line} className="skeleton-line" />
      ))}
    </div>
  );
}
