/** A promise that the test settles. */
export interface Gate<T> {
  promise: Promise<T>;
  open(value: T): void;
  fail(error: Error): void;
}

export function createGate<T = void>(): Gate<T> {
  let open: Gate<T>['open'] = () => {};
  let fail: Gate<T>['fail'] = () => {};
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}
