import fc from 'fast-check';
import type { GraphQLSchema } from 'graphql';
import { type Variants, variantsOf } from './arguments.ts';
import { flagCount, fragmentCount, type Selection, selectionsOf } from './selection.ts';
import { textOf } from './text.ts';

/** The random choices of an operation, from which its text is derived. */
export interface Sketch {
  selections: Selection[];
  /** The bodies of the fragments on each type. */
  fragments: Record<string, Selection[][]>;
  variants: Variants;
  flags: Flag[];
  /** By how many fields each response name is shifted to that of another field of its type: 0 for none. */
  shift: number;
}

/** A Boolean variable: its value in the request, and its default. */
interface Flag {
  given: boolean | undefined;
  fallback: boolean | undefined;
}

export interface Operation {
  text: string;
  variables: Record<string, unknown>;
  /** Which of the received responses is passed on next, see pace.ts. */
  order: number[];
}

/** Fields whose values the oracle cannot compute. */
export const unpredictable = ['Health.latencyMs'];

/** Random valid operations; with `deferring` their fragments have `@defer`. */
export function operationsOf(schema: GraphQLSchema, deferring: boolean): fc.Arbitrary<Operation> {
  const { Query, ...others } = selectionsOf(schema, deferring, unpredictable);
  if (!Query) throw new Error('The schema has no Query.');
  const bodies = Object.entries({ ...others, Query }).map(
    ([name, body]) => [name, fc.array(body, { minLength: fragmentCount, maxLength: fragmentCount })] as const,
  );
  const sketches: fc.Arbitrary<Sketch> = fc.record({
    selections: Query,
    fragments: fc.record(Object.fromEntries(bodies)),
    variants: variantsOf(schema),
    flags: fc.array(flags, { minLength: flagCount, maxLength: flagCount }),
    shift: fc.constantFrom(0, 0, 0, 1, 2, 3),
  });
  const orders = fc.array(fc.nat(9), { minLength: 1, maxLength: 6 });
  return fc.tuple(sketches, orders).map(([sketch, order]) => operation(textOf(schema, sketch), order));
}

const flags: fc.Arbitrary<Flag> = fc.oneof(
  fc.record({ given: fc.boolean(), fallback: fc.option(fc.boolean(), { nil: undefined }) }),
  fc.record({ given: fc.constant(undefined), fallback: fc.boolean() }),
);

function operation({ text, variables }: ReturnType<typeof textOf>, order: number[]): Operation {
  const shown = `\n${text}\nvariables ${JSON.stringify(variables)}\norder ${JSON.stringify(order)}\n`;
  return { text, variables, order, [fc.toStringMethod]: () => shown } as Operation;
}
