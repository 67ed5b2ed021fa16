import type { ReactNode } from 'react';

/** A list of terms and their values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

export const NotStated = () => <span className="absent">Not stated</span>;

/** One of them; without a value it says so. */
export function Fact({ term, children }: { term: string; children: ReactNode }) {
  // React shows none of these.
  const isEmpty = children == null || children === '' || typeof children === 'boolean';
  return (
    <div>
      <dt>{term}</dt>
      <dd>{isEmpty ? <NotStated /> : children}</dd>
    </div>
  );
}
