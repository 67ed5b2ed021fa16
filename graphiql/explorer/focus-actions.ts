/**
 * The explorer shows the actions of an operation, a field and an argument while the pointer is over them. Shows
 * them for the focus as well, so that the next Tab reaches them.
 */
export function showActionsByFocus() {
  let last: Element | undefined;
  return {
    onFocus(target: Element): void {
      const next = hovered(target);
      // React derives entering and leaving from where the pointer comes from and goes to.
      if (last?.isConnected) {
        last.dispatchEvent(new MouseEvent('mouseout', { bubbles: true, relatedTarget: next }));
      } else {
        next.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
      }
      last = next;
    },
  };
}

/** What the pointer would be over: of an argument, its name beside the tick. */
function hovered(target: Element): Element {
  return (target.matches('[data-arg-name] > span > *') && target.nextElementSibling) || target;
}
