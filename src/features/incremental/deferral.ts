import {
  type DocumentNode,
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { type IncrementalFormat, incrementalFormatOf } from '../../operation/accept.ts';
import { withoutDirectives, withoutIncremental } from '../../operation/execute.ts';
import { fragmentsOf } from '../../operation/fields.ts';
import { memoized } from '../../rest/memo.ts';
import { deferDirective, streamDirective } from '../../schema/directives.ts';

/**
 * The format of the parts in which an operation is sent; undefined if its response is complete: its client accepts
 * no parts, its document has neither `@defer` nor `@stream`, or fields of it are deferred that the executor of the
 * format would lose, or would report as complete before they came (`hasOverlap`). Both directives are optional.
 */
export function partsFormatOf(
  accept: string | null,
  document: DocumentNode,
  operationName: string | null | undefined,
): IncrementalFormat | undefined {
  const format = incrementalFormatOf(accept);
  if (!format || withoutIncremental(document) === document) return undefined;
  if (format.spec === 'v0.1' && !hasBoth(document)) return format;
  const operation = getOperationAST(document, operationName);
  return operation && overlaps(operation, document) ? undefined : format;
}

const hasBoth = memoized((document: DocumentNode): boolean =>
  [deferDirective, streamDirective].every(({ name }) => withoutDirectives(document, [name]) !== document),
);

const overlaps = memoized(({ selectionSet }: OperationDefinitionNode, document: DocumentNode) =>
  hasOverlap([selectionSet], fragmentsOf(document)),
);

/**
 * True if a field with selections is in two deferred fragments of its object, or in one and outside of it, at any
 * level. The values of variables and the types of objects are not considered.
 */
function hasOverlap(
  selectionSets: readonly SelectionSetNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): boolean {
  const fields = new Map<string, { parts: Set<object>; selectionSets: SelectionSetNode[] }>();
  const undeferred = {};
  for (const selectionSet of selectionSets) collect(selectionSet, undeferred);
  return [...fields.values()].some(
    ({ parts, selectionSets }) => parts.size > 1 || hasOverlap(selectionSets, fragments),
  );

  function collect({ selections }: SelectionSetNode, part: object): void {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        if (!node.selectionSet) continue;
        const name = (node.alias ?? node.name).value;
        const field = fields.get(name) ?? { parts: new Set(), selectionSets: [] };
        fields.set(name, field);
        field.parts.add(part);
        field.selectionSets.push(node.selectionSet);
      } else {
        const isDeferred = node.directives?.some(({ name }) => name.value === deferDirective.name);
        const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
        if (fragment) collect(fragment.selectionSet, isDeferred ? {} : part);
      }
    }
  }
}
