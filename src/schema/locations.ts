import { type DocumentNode, GraphQLError, type ParseOptions, parse, print, Source, visit } from 'graphql';

/** Maximum number of locations of an error: a field can have one for each token of the document. */
const maxLocations = 10;

const texts = new WeakMap<Source, LocatedText>();

/**
 * Parses a text, and empties its source: graphql-js searches the whole text for the line of every node of every error,
 * but `relocated` computes them from one table. @throws GraphQLError if the text is no document
 */
export function parseSource(body: string, options?: ParseOptions): DocumentNode {
  const source = new Source(body);
  const document = parse(source, options);
  texts.set(source, new LocatedText(body));
  source.body = '';
  return options?.noLocation ? Object.assign(document, { loc: { source } }) : document;
}

/** Adds the locations, which only errors need, to a document that was parsed without them. */
export function located(document: DocumentNode): DocumentNode {
  if (document.definitions[0]?.loc) return document;
  const locations: unknown[] = [];
  visit(parseSource(documentText(document)), { enter: ({ loc }) => void locations.push(loc) });
  return visit(document, { enter: (node) => void Object.assign(node, { loc: locations.shift() }) });
}

/** The text of a document, however it was parsed; of one that is made of parts of others, the text as printed. */
export function documentText(document: DocumentNode): string {
  const { loc } = document;
  return loc ? (texts.get(loc.source)?.body ?? loc.source.body) : print(document);
}

type Replaced = Partial<Pick<GraphQLError, 'message' | 'extensions'>>;

/** A copy of an error for a response, with its locations and without its cause. */
export function relocated(error: GraphQLError, replaced: Replaced = {}): GraphQLError {
  const { message, nodes, path, extensions } = error;
  const copy = new GraphQLError(replaced.message ?? message, {
    nodes: nodes?.slice(0, maxLocations) ?? null,
    source: error.source,
    positions: error.positions?.slice(0, maxLocations),
    path,
    extensions: replaced.extensions ?? extensions,
  });
  const { source, positions } = copy;
  const text = source && texts.get(source);
  if (!text || !positions) return copy;
  const locations = positions.map((position) => text.locationAt(position));
  return Object.defineProperty(copy, 'locations', { value: locations, enumerable: true });
}

export class LocatedText {
  readonly body: string;
  #lineStarts: number[] | undefined;

  constructor(body: string) {
    this.body = body;
  }

  /** Line and column, from 1, of a position, from 0. Lines end as in the GraphQL specification, 2.1.2. */
  locationAt(position: number) {
    const ends = () => [...this.body.matchAll(/\r\n|[\n\r]/g)];
    this.#lineStarts ??= [0, ...ends().map(({ index, 0: { length } }) => index + length)];
    const line = this.#lineStarts.findLastIndex((start) => start <= position);
    return { line: line + 1, column: position + 1 - (this.#lineStarts[line] ?? 0) };
  }
}
