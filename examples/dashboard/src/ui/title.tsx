import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import './title.css';

interface TitleProps {
  heading: 'h1' | 'h3' | 'h4';
  children: ReactNode;
}

/** A heading of at most three lines. Where it has more, a button shows all of it. */
export function Title({ heading: Heading, children }: TitleProps) {
  const id = useId();
  const text = useRef<HTMLSpanElement>(null);
  const [isCut, setCut] = useState(false);
  const [isWhole, setWhole] = useState(false);
  useLayoutEffect(() => {
    const element = text.current;
    if (!element || isWhole) return;
    const observer = new ResizeObserver(() => setCut(element.scrollHeight > element.clientHeight + 1));
    observer.observe(element);
    return () => observer.disconnect();
  }, [isWhole, children]);
  return (
    <>
      <Heading>
        <span ref={text} id={id} className={isWhole ? 'title' : 'title is-clamped'}>
          {children}
        </span>
      </Heading>
      {isCut && (
        <button
          type="button"
          className="quiet title-toggle"
          aria-expanded={isWhole}
          aria-controls={id}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Shorten the title' : 'Show the whole title'}
        </button>
      )}
    </>
  );
}
