const site = (selection: string) => `{ site(id: "SITE-1") { ${selection} } }`;
const times = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');

/** Documents that are large in one dimension. */
export const bombs: ((count: number) => string)[] = [
  (n) => '{ a '.repeat(n) + '}'.repeat(n),
  (n) => `{ ${'... { '.repeat(n)} __typename ${'}'.repeat(n)} }`,
  (n) => site(`${'... on Site @defer { '.repeat(n)} id ${'}'.repeat(n)}`),
  (n) => site(times(n, (k) => `... @defer(label: "${k}") { a${k}: clients { id } }`)),
  (n) => `{ site(id: ${'['.repeat(n)}${']'.repeat(n)}) { id } }`,
  (n) => `{ site(id: ${'{a: '.repeat(n)}1${'}'.repeat(n)}) { id } }`,
  (n) => `query ($x: ${'['.repeat(n)}ID${']'.repeat(n)}) { __typename }`,
  (n) => `{ ${times(n, (k) => `a${k}: site(id: "SITE-${k}") { id }`)} }`,
  (n) => `{ ${times(n, (k) => `a${k}: health { status }`)} }`,
  (n) => `{ sites(ids: [${times(n, (k) => `"SITE-${k}"`)}]) { id clients { id } } }`,
  (n) => `{ sites(ids: [${times(n, () => '"SITE-1"')}]) { ${times(n, (k) => `a${k}: id`)} } }`,
  (n) =>
    `{ ...F0 } ${times(n, (k) => `fragment F${k} on Query { ...F${k + 1} ...F${k + 1} }`)} fragment F${n} on Query { __typename }`,
  (n) =>
    `{ ...F0 } ${times(n, (k) => `fragment F${k} on Query { ...F${(k * 7 + 1) % n} ...F${(k + 1) % n} }`)}`,
  (n) =>
    `{ ${times(n, (k) => `x: site(id: "${k}") { ...G${k} }`)} } ${times(n, (k) => `fragment G${k} on Site { x: id y: city x: zip }`)}`,
  (n) => `{ __schema { ${'types { fields { type { '.repeat(n)} name ${'} } }'.repeat(n)} } }`,
  (n) => `{ __type(name: "Site") { ${'ofType { '.repeat(n)} name ${'}'.repeat(n)} } }`,
  (n) => `{ ${times(n, () => '__schema { types { name fields { name } } }')} }`,
  (n) => site(`id ${'@skip(if: false) '.repeat(n)}`),
  (n) => site('id '.repeat(n)),
  (n) => `{ __typename ${'@a '.repeat(n)} }`,
  (n) => `{ ${times(n, (k) => `u${k}`)} }`,
  (n) => `{ site(id: "SITE-1", ${times(n, (k) => `a${k}: 1`)}) { id } }`,
  (n) => `{ site(id: 5.5, idd: "${'x'.repeat(n)}") { ${'a'.repeat(n)} ${'b'.repeat(n)} } }`,
  (n) => `query (${times(n, (k) => `$v${k}: ID`)}) { __typename }`,
  (n) => `{ site(id: "${'\\'.repeat(n)}`,
  (n) =>
    `query (${times(n, (k) => `$v${k}: Boolean = ${k % 2 === 0}`)}) { __typename ${times(n, (k) => `@skip(if: $v${k})`)} }`,
  (n) => `{ __typename } ${times(n, (k) => `query Q${k} { __typename }`)}`,
  (n) => `{ __typename }${'#\n'.repeat(n)}`,
  (n) => `{ __typename }${'\ufeff,'.repeat(n)}`,
  (n) => `{ site(id: """${'\n x'.repeat(n)}""") { id } }`,
  (n) => `{ site(id: "${'\\u0041'.repeat(n)}") { id } }`,
  (n) =>
    `{ conversationContext(id: "5f0c2a9e-3b1d-4c5a-9e7f-00000000ab01") { sites { site { ${times(n, (k) => `a${k}: primaryClient { id }`)} } } } }`,
];
