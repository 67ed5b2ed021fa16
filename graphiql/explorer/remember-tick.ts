/**
 * The explorer renders another element for a field whose selection comes or goes, and the focus would be lost.
 * Remembers the focused tick, and moves the focus to the tick that took its place.
 */
export function rememberTick() {
  let last: { tick: Element; path: string } | undefined;
  return {
    onFocus(target: Element): void {
      last = target.matches('.portico-tick') ? { tick: target, path: pathOf(target) } : undefined;
    },
    restoreIn(panel: Element): void {
      if (!last || last.tick.isConnected || document.activeElement !== document.body) return;
      const { path } = last;
      const ticks = [...panel.querySelectorAll<HTMLElement>('.portico-tick')];
      ticks.find((tick) => pathOf(tick) === path)?.focus();
    },
  };
}

/** The operation, and the names of the fields from its root to the one of `tick`. */
function pathOf(tick: Element): string {
  const argument = tick.closest('[data-arg-name]')?.getAttribute('data-arg-name') ?? '';
  const names = [argument];
  for (let at = tick.parentElement; at && !at.matches('.graphiql-explorer-root'); at = at.parentElement) {
    const [, name] = /graphiql-explorer-(\w+)(?: graphiql-explorer-deprecated)?$/.exec(at.className) ?? [];
    // A field with a selection has two elements, one in the other.
    if (name !== undefined && name !== names.at(-1)) names.push(name);
    if (at.id) names.push(at.id);
  }
  return names.join('<');
}
