import {
  type ASTNode,
  type DirectiveNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  TokenKind,
  visit,
} from 'graphql';
import type { Fault, PlanSource } from '../../features/explain/index.ts';
import { type Edit, withEdits } from './edits.ts';

/** Directives that Apollo Client and Relay remove before they send a document: docs/explain.md has the sources. */
const removed = new Set([
  ...['connection', 'nonreactive', 'unmask'],
  ...['alias', 'argumentDefinitions', 'arguments', 'assignable', 'catch', 'dangerously_unaliased_fixme'],
  ...['inline', 'no_inline', 'preloadable', 'raw_response_type', 'refetchable', 'relay', 'required'],
  ...['throwOnFieldError', 'waterfall'],
]);

/** Directives that are removed with what has them: Apollo Client's local fields, what Relay never sends. */
const removedWhole = new Set(['client', 'updatable']);

const isRemovedWhole = ({ directives = [] }: { directives?: readonly DirectiveNode[] }): boolean =>
  directives.some(({ name }) => removedWhole.has(name.value));

type Definition = OperationDefinitionNode | FragmentDefinitionNode;

/**
 * The documents as clients send them: without what only clients read, and without those that are nothing but
 * comments. Trusted documents are what is sent. A fragment that reads arguments of its own is a fault: Relay
 * writes their values into the document.
 */
export function asSent(sources: readonly PlanSource[]): { sources: PlanSource[]; faults: Fault[] } {
  const faults: Fault[] = [];
  const mayChange = sources.some(({ text, isTrusted }) => !isTrusted && text.includes('@'));
  const documents = sources.map(({ text, isTrusted }) => (mayChange && !isTrusted ? parsed(text) : []));
  const gone = new Set(documents.flat().flatMap((node) => (isGoneFragment(node) ? node.name.value : [])));
  const read = documents.map((definitions) => definitions.map((node) => readDefinition(node, gone)));
  const fragments = new Map(
    read.flat().map((one) => [one.node.kind === Kind.FRAGMENT_DEFINITION ? one.node.name.value : '', one]),
  );
  const sent = sources.map((source, index): PlanSource => {
    const definitions = read[index] ?? [];
    for (const { start, name } of definitions.flatMap((one) => one.ownArguments)) {
      const message = `$${name} is an argument of the fragment, whose value Relay writes into the document: plan its manifest`;
      faults.push({ ...source.placeAt(start), message });
    }
    const edits = definitions.flatMap((one) => [...one.edits, ...unusedVariables(one, fragments)]);
    const { text, originalOf } = withEdits(source.text, edits);
    return { ...source, text, placeAt: (position) => source.placeAt(originalOf(position)) };
  });
  return { sources: sent.filter(({ text, isTrusted }) => isTrusted || !isBlank(text)), faults };
}

/** The operations and fragments of a text. The planner reports a text that has an error. */
function parsed(text: string): Definition[] {
  try {
    return parse(text).definitions.filter(
      (node) => node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION,
    );
  } catch {
    return [];
  }
}

/** Whether nothing is left of a fragment. Apollo Client counts `__typename` as nothing. */
function isGoneFragment(node: Definition): node is FragmentDefinitionNode {
  if (node.kind !== Kind.FRAGMENT_DEFINITION) return false;
  const { selections } = node.selectionSet;
  const isTypename = (one: SelectionNode) => one.kind === Kind.FIELD && one.name.value === '__typename';
  const isEmptied =
    selections.some(isRemovedWhole) && selections.every((one) => isRemovedWhole(one) || isTypename(one));
  return isEmptied || isRemovedWhole(node);
}

function readDefinition(node: Definition, gone: ReadonlySet<string>) {
  const edits: Edit[] = [];
  const variables = new Set<string>();
  const spreads = new Set<string>();
  const ownArguments: { name: string; start: number }[] = [];
  const declared = node.directives?.find(({ name }) => name.value === 'argumentDefinitions')?.arguments ?? [];

  let prunes = false;
  const replace = (from: ASTNode, to: ASTNode, text?: string) => {
    prunes = true;
    edits.push(editOf(from, to, text));
  };
  const isGone = (one: SelectionNode) =>
    isRemovedWhole(one) || (one.kind === Kind.FRAGMENT_SPREAD && gone.has(one.name.value));
  const isWhole =
    node.kind === Kind.FRAGMENT_DEFINITION
      ? gone.has(node.name.value)
      : isRemovedWhole(node) || node.selectionSet.selections.every(isGone);
  const selection = (one: SelectionNode) => (isGone(one) ? false : undefined);

  if (isWhole) replace(node, node);
  else
    visit(node, {
      VariableDefinition: () => false,
      SelectionSet({ selections }: SelectionSetNode) {
        const [first] = selections;
        const last = selections.at(-1);
        if (!first || !last || !selections.every(isGone)) {
          for (const one of selections) if (isGone(one)) replace(one, one);
          return undefined;
        }
        // Apollo Client adds it to each selection of an object.
        replace(first, last, '__typename');
        return false;
      },
      Field: selection,
      InlineFragment: selection,
      FragmentSpread(one) {
        if (isGone(one)) return false;
        spreads.add(one.name.value);
        return undefined;
      },
      Directive(one) {
        // urql removes all of these, and leaves their variables.
        if (one.name.value.startsWith('_')) edits.push(editOf(one, one));
        else if (removed.has(one.name.value)) replace(one, one);
        else return undefined;
        return false;
      },
      Variable({ name: { value: name }, loc }) {
        variables.add(name);
        if (declared.some((argument) => argument.name.value === name))
          ownArguments.push({ name, start: loc?.start ?? 0 });
      },
    });
  return { node, isWhole, edits, prunes, variables, spreads, ownArguments };
}

function editOf(from: ASTNode, to: ASTNode, text = ' '): Edit {
  return { start: from.loc?.start ?? 0, end: to.loc?.end ?? 0, text };
}

type Read = ReturnType<typeof readDefinition>;

/** Removes the variables that an operation does not use, as Apollo Client and Relay do where they remove anything. */
function unusedVariables(read: Read, fragments: ReadonlyMap<string, Read>): Edit[] {
  const { node, isWhole } = read;
  if (node.kind !== Kind.OPERATION_DEFINITION || isWhole) return [];
  const reached = new Set([read]);
  // A set iterates over what is added meanwhile.
  for (const one of reached)
    for (const name of one.spreads) {
      const fragment = fragments.get(name);
      if (fragment) reached.add(fragment);
    }
  if (![...reached].some(({ prunes }) => prunes)) return [];
  const all = node.variableDefinitions ?? [];
  const unused = all.filter(({ variable: { name } }) =>
    [...reached].every(({ variables }) => !variables.has(name.value)),
  );
  const edits = unused.map((one) => editOf(one, one));
  if (unused.length < all.length) return edits;
  // The list may not be empty: its brackets are removed too.
  let [before, after] = [all[0]?.loc?.startToken, all.at(-1)?.loc?.endToken.next];
  while (before && before.kind !== TokenKind.PAREN_L) before = before.prev ?? undefined;
  while (after && after.kind !== TokenKind.PAREN_R) after = after.next;
  return before && after ? [{ start: before.start, end: after.end, text: ' ' }] : [];
}

/** Whether a text has nothing but comments: a document that is commented out, or not written yet. */
function isBlank(text: string): boolean {
  return text.replace(/#[^\r\n]*|[\s,]+/g, '') === '';
}
