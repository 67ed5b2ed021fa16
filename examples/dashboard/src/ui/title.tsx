import type { ReactNode } from 'react';
import './title.css';

interface TitleProps {
  heading: 'h1' | 'h3' | 'h4';
  children: ReactNode;
}

/** A heading in the direction of its own text. */
export function Title({ heading: Heading, children }: TitleProps) {
  return (
    <Heading>
      <span className="title">{children}</span>
    </Heading>
  );
}
