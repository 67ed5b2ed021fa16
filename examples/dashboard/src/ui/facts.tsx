import type { ReactNode } from 'react';
import './facts.css';

/** A list of terms and their values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

/** One of them; without a value it says so. */
export function Fact({ term, children }: { term: string; children: ReactNode }) {
  const isEmpty = children === null || children === undefined || children === '';
  return (
    <div>
      <dt>{term}</dt>
      <dd>{isEmpty ? <span className="absent">Not stated</span> : children}</dd>
    </div>
  );
}
