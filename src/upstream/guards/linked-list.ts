/** What can be in a linked list: in one at a time. */
export interface Linked<T> {
  previous: T | null;
  next: T | null;
}

/** A doubly linked list whose elements hold its links, so that adding and removing allocate nothing. */
export class LinkedList<T extends Linked<T>> {
  first: T | null = null;
  last: T | null = null;
  length = 0;

  append(element: T): void {
    element.previous = this.last;
    if (this.last) this.last.next = element;
    else this.first = element;
    this.last = element;
    this.length += 1;
  }

  /** For an element of this list. */
  remove(element: T): void {
    const { previous, next } = element;
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.last = previous;
    // Unlinks both ways: a removed element in old space must not retain its neighbours (decision 18).
    element.previous = null;
    element.next = null;
    this.length -= 1;
  }
}
