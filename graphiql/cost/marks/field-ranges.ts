import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getLocation,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';

/** A field's name in a document; lines and columns begin at 1, `endColumn` is after the last character. */
export interface FieldRange {
  line: number;
  startColumn: number;
  endColumn: number;
  /** The place of a note that interrupts nothing: after the opening brace of a selection if that is on the same line. */
  noteColumn: number;
}

/**
 * The places at which the fields with these paths in the response are selected, by their paths: a field that several
 * selections or fragments merge has several ranges. Paths that the operation does not select are absent.
 */
export function fieldRanges(
  document: DocumentNode,
  operationName: string | undefined,
  paths: Iterable<string>,
): Map<string, FieldRange[]> {
  const fragments = fragmentsOf(document);
  const operation = operationOf(document, operationName);
  const ranges = new Map<string, FieldRange[]>();
  for (const path of paths) {
    const nodes = operation ? nodesAt(operation, namesOf(path), fragments) : [];
    if (nodes.length > 0) ranges.set(path, nodes.flatMap(rangeOf));
  }
  return ranges;
}

/** The names of a path, without the indexes of list elements. */
function namesOf(path: string): string[] {
  return path.split('.').filter((name) => !/^\d+$/.test(name));
}

function nodesAt(
  operation: OperationDefinitionNode,
  names: readonly string[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FieldNode[] {
  let sets = [operation.selectionSet];
  // The paths of a live query begin below `live`, its only field.
  if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
    sets = fieldsOf(operation.selectionSet, fragments, new Set()).flatMap(
      ({ selectionSet }) => selectionSet ?? [],
    );
  }
  let nodes: FieldNode[] = [];
  for (const name of names) {
    nodes = sets
      .flatMap((set) => fieldsOf(set, fragments, new Set()))
      .filter((field) => (field.alias ?? field.name).value === name);
    sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  }
  return nodes;
}

/** The fields of a selection set and of its fragments. A fragment counts once, which ends cycles. */
function fieldsOf(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  seen: Set<string>,
): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return selection;
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet, fragments, seen);
    const name = selection.name.value;
    const fragment = fragments.get(name);
    if (!fragment || seen.has(name)) return [];
    seen.add(name);
    return fieldsOf(fragment.selectionSet, fragments, seen);
  });
}

function rangeOf({ alias, name, selectionSet }: FieldNode): FieldRange[] {
  const first = (alias ?? name).loc;
  if (!first || !name.loc) return [];
  const { line, column } = getLocation(first.source, first.start);
  /** The column of an offset, if it is in the same line. */
  const columnIn = (offset: number | undefined): number | undefined => {
    if (offset === undefined) return undefined;
    const location = getLocation(first.source, offset);
    return location.line === line ? location.column : undefined;
  };
  // The name may stand below its alias.
  const endColumn = columnIn(name.loc.end) ?? column + first.end - first.start;
  const brace = columnIn(selectionSet?.loc?.start);
  return [{ line, startColumn: column, endColumn, noteColumn: brace === undefined ? endColumn : brace + 1 }];
}

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

function operationOf(
  { definitions }: DocumentNode,
  name: string | undefined,
): OperationDefinitionNode | undefined {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  return operations.find((operation) => operation.name?.value === name) ?? operations[0];
}
