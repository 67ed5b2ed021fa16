import { type ASTNode, getEnterLeaveForKind, type Kind, type ValidationRule } from 'graphql';

/**
 * One rule with the errors of several, for `validate` of graphql-js. That asks every rule for its functions for each of forty
 * kinds of nodes, which takes half of the validation of a short document; here it is done for the kinds that occur. No rule
 * may break off the visit or edit a node.
 */
export function inParallel(rules: readonly ValidationRule[]): ValidationRule {
  return (context) => {
    const visits = rules.map((rule) => ({
      visitor: rule(context),
      skipped: undefined as ASTNode | undefined,
    }));
    const stepsFor = (kind: Kind) =>
      visits
        .map((visit) => ({ visit, ...getEnterLeaveForKind(visit.visitor, kind) }))
        .filter(({ enter, leave }) => enter || leave);
    const known = new Map<Kind, ReturnType<typeof stepsFor>>();
    return {
      enter(node, ...place) {
        const steps = known.get(node.kind) ?? stepsFor(node.kind);
        known.set(node.kind, steps);
        for (const { visit, enter } of steps)
          if (!visit.skipped && enter?.call(visit.visitor, node, ...place) === false) visit.skipped = node;
      },
      leave(node, ...place) {
        for (const { visit, leave } of known.get(node.kind) ?? []) {
          if (visit.skipped === node) visit.skipped = undefined;
          else if (!visit.skipped) leave?.call(visit.visitor, node, ...place);
        }
      },
    };
  };
}
