import {
  type DirectiveNode,
  type DocumentNode,
  getDirectiveValues,
  getVariableValues,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { contract } from '../../support/contract.ts';

/**
 * The operation without the fragments that are deferred on a site. Only these wait for a response: a fragment deferred
 * further up has its data, and its sites are requested at once.
 */
export function withoutDeferredSiteParts(
  document: DocumentNode,
  variables: Record<string, unknown>,
): DocumentNode {
  const isDeferred = deferralIn(document, variables);
  const types = new TypeInfo(contract);
  const drop = (node: { readonly directives?: readonly DirectiveNode[] }) =>
    types.getParentType()?.name === 'Site' && isDeferred(node) ? null : undefined;
  return visit(
    document,
    visitWithTypeInfo(types, { [Kind.INLINE_FRAGMENT]: drop, [Kind.FRAGMENT_SPREAD]: drop }),
  );
}

function deferralIn(document: DocumentNode, variables: Record<string, unknown>) {
  const definitions = document.definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? (node.variableDefinitions ?? []) : [],
  );
  const { coerced, errors } = getVariableValues(contract, definitions, variables);
  const defer = contract.getDirective('defer');
  if (errors || !defer) throw new Error('The operation does not fit the contract.');
  return (node: { readonly directives?: readonly DirectiveNode[] }) =>
    getDirectiveValues(defer, node, coerced)?.if === true;
}
