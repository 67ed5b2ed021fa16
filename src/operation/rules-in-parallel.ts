import { type ASTNode, type ASTVisitor, getEnterLeaveForKind, type Kind, type ValidationRule } from 'graphql';

/** A rule on its way through a document. */
type Visit = { rule: ValidationRule; visitor: ASTVisitor; skipped?: ASTNode | undefined };

/**
 * One rule with the errors of several, for `validate` of graphql-js. That asks every rule for its functions for each of forty
 * kinds of nodes, which takes most of the validation of a short document; here those are asked that had any for the kind
 * before. No rule may break off the visit, edit a node, or visit other kinds of nodes in another document.
 */
export function inParallel(rules: readonly ValidationRule[]): ValidationRule {
  const rulesFor = new Map<Kind, Set<ValidationRule>>();
  return (context) => {
    const visits = rules.map((rule): Visit => ({ visitor: rule(context), rule }));
    const stepsFor = (kind: Kind) => {
      const some = rulesFor.get(kind);
      const steps = [];
      for (const visit of some ? visits.filter(({ rule }) => some.has(rule)) : visits) {
        const of = getEnterLeaveForKind(visit.visitor, kind);
        if (of.enter || of.leave) steps.push({ visit, of });
      }
      if (!some) rulesFor.set(kind, new Set(steps.map(({ visit }) => visit.rule)));
      return steps;
    };
    const known = new Map<Kind, ReturnType<typeof stepsFor>>();
    return {
      enter(node, ...place) {
        const steps = known.get(node.kind) ?? stepsFor(node.kind);
        known.set(node.kind, steps);
        for (const { visit, of } of steps)
          if (!visit.skipped && of.enter?.call(visit.visitor, node, ...place) === false) visit.skipped = node;
      },
      leave(node, ...place) {
        for (const { visit, of } of known.get(node.kind) ?? []) {
          if (visit.skipped === node) visit.skipped = undefined;
          else if (!visit.skipped) of.leave?.call(visit.visitor, node, ...place);
        }
      },
    };
  };
}
