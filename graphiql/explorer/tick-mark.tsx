interface TickMarkProps {
  isTicked?: boolean;
  /** Whether ticking it shows the fields below. */
  isExpandable?: boolean;
}

/**
 * The checkbox of a field or an argument. The explorer has none that the keyboard reaches: it handles clicks on
 * the element around this one.
 */
export function TickMark({ isTicked = false, isExpandable = false }: TickMarkProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the click on a real checkbox would be undone by its rendering.
    <span
      className="portico-tick"
      role="checkbox"
      tabIndex={0}
      aria-checked={isTicked}
      data-expandable={isExpandable || undefined}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || (event.key !== ' ' && event.key !== 'Enter')) return;
        event.preventDefault();
        event.currentTarget.click();
      }}
    >
      <svg viewBox="0 0 14 14" aria-hidden="true">
        <rect x="1" y="1" width="12" height="12" rx="2" />
        {isTicked ? <path d="M3.5 7.2l2.4 2.4 4.6-5" /> : null}
      </svg>
    </span>
  );
}
