import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** The width of an element in CSS pixels, so that a chart is drawn at its real size and its text keeps the size of the page's. */
export function useWidth<Shape extends HTMLElement>(): [RefObject<Shape | null>, number] {
  const ref = useRef<Shape>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    setWidth(Math.round(element.getBoundingClientRect().width));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
