/** How many REST calls an operation makes: `known`, and `calls` for each element of each `list`. */
export interface Cost {
  /** The calls that the document and its variables decide. */
  known: number;
  /** The calls that depend on the data: by the path of a list in the response, the calls for each element. */
  forEach: { list: string; calls: number }[];
  /** How many calls one operation may make. */
  limit: number;
}

/** The cost as people read it: `1 + 2 × sites`. A list has its last name alone, unless another has the same. */
export function formulaOf({ known, forEach }: Cost): string {
  const names = forEach.map(({ list }) => lastName(list));
  const isUnique = new Set(names).size === names.length;
  const terms = forEach.map(({ list, calls }) => {
    const name = isUnique ? lastName(list) : list;
    return calls === 1 ? name : `${calls} × ${name}`;
  });
  return [...(known > 0 || terms.length === 0 ? [String(known)] : []), ...terms].join(' + ');
}

/** The last name of a path in the response. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
