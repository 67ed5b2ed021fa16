import { type DirectiveNode, type DocumentNode, Kind, type SelectionSetNode } from 'graphql';
import { fragmentsOf } from './operation-info.ts';

/** How large an operation is, with every fragment counted where it is spread. */
export interface Complexity {
  /** Levels of fields, one below the other. */
  depth: number;
  /** The same below `__schema` and `__type`, which count as one level of the depth. */
  introspectionDepth: number;
  /** The aliases below, and those of `__schema` itself: each can multiply the whole schema. */
  introspectionAliases: number;
  rootFields: number;
  fields: number;
  aliases: number;
  directives: number;
}

const nothing: Complexity = {
  depth: 0,
  introspectionDepth: 0,
  introspectionAliases: 0,
  rootFields: 0,
  fields: 0,
  aliases: 0,
  directives: 0,
};

const measures = new WeakMap<DocumentNode, Complexity>();

/** The largest of the operations of a document, in each respect; a document is measured once. */
export function complexityOf(document: DocumentNode): Complexity {
  const measure = measures.get(document) ?? measured(document);
  measures.set(document, measure);
  return measure;
}

/**
 * A fragment is walked once however often it is spread, so that the time is that of reading the document; numbers that
 * fragments double without end are Infinity.
 */
function measured(document: DocumentNode): Complexity {
  const fragments = fragmentsOf(document);
  const known = new Map<string, Complexity>();

  function ofSelections(selectionSet: SelectionSetNode | undefined): Complexity {
    return (selectionSet?.selections ?? []).map(ofSelection).reduce(sum, nothing);
  }

  function ofSelection(node: SelectionSetNode['selections'][number]): Complexity {
    const directives = node.directives?.length ?? 0;
    if (node.kind === Kind.FRAGMENT_SPREAD)
      return sum({ ...nothing, directives }, ofFragment(node.name.value));
    const inner = ofSelections(node.selectionSet);
    if (node.kind === Kind.INLINE_FRAGMENT) return sum({ ...nothing, directives }, inner);
    const introspects = node.name.value === '__schema' || node.name.value === '__type';
    const alias = node.alias ? 1 : 0;
    return {
      depth: introspects ? 1 : inner.depth + 1,
      introspectionDepth: introspects ? inner.depth + 1 : inner.introspectionDepth,
      introspectionAliases: introspects
        ? inner.aliases + (node.name.value === '__schema' ? alias : 0)
        : inner.introspectionAliases,
      rootFields: 1,
      fields: inner.fields + 1,
      aliases: inner.aliases + alias,
      directives: inner.directives + directives,
    };
  }

  function ofFragment(name: string): Complexity {
    const before = known.get(name);
    if (before) return before;
    // Validation reports a fragment that spreads itself.
    known.set(name, nothing);
    const node = fragments.get(name);
    const measure = node ? sum(ofDirectives(node), ofSelections(node.selectionSet)) : nothing;
    known.set(name, measure);
    return measure;
  }

  return document.definitions
    .flatMap((node) => (node.kind === Kind.OPERATION_DEFINITION ? [node] : []))
    .map((node) => sum(ofDirectives(node), ofSelections(node.selectionSet)))
    .reduce(larger, nothing);
}

/** Of a definition, and of the variables that it declares. */
function ofDirectives(node: {
  directives?: readonly DirectiveNode[];
  variableDefinitions?: readonly { directives?: readonly DirectiveNode[] }[];
}): Complexity {
  const all = [node, ...(node.variableDefinitions ?? [])];
  return {
    ...nothing,
    directives: all.reduce((count, { directives }) => count + (directives?.length ?? 0), 0),
  };
}

/** Of two selections side by side: levels do not add up. */
function sum(a: Complexity, b: Complexity): Complexity {
  return { ...merged(a, b, (one, other) => one + other), ...deeper(a, b) };
}

function larger(a: Complexity, b: Complexity): Complexity {
  return { ...merged(a, b, Math.max), ...deeper(a, b) };
}

function deeper(a: Complexity, b: Complexity) {
  return {
    depth: Math.max(a.depth, b.depth),
    introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
  };
}

function merged(a: Complexity, b: Complexity, merge: (one: number, other: number) => number) {
  return {
    introspectionAliases: merge(a.introspectionAliases, b.introspectionAliases),
    rootFields: merge(a.rootFields, b.rootFields),
    fields: merge(a.fields, b.fields),
    aliases: merge(a.aliases, b.aliases),
    directives: merge(a.directives, b.directives),
  };
}
