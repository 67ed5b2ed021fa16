import { type ReactNode, useId } from 'react';

interface SectionProps {
  title: string;
  /** How many there are, beside the title. */
  count?: number | undefined;
  /** Stands at the end of the line of the title. */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A part of a page with a title. */
export function Section({ title, count, aside, className = '', children }: SectionProps) {
  const id = useId();
  return (
    <section className={`section ${className}`} aria-labelledby={id}>
      <header className="row spread">
        <h2 id={id}>
          {title} {count !== undefined && <span className="count">{count}</span>}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** The text of a list without elements. */
export function Empty({ children }: { children: ReactNode }) {
  return <p className="empty">{children}</p>;
}
