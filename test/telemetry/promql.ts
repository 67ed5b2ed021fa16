import { parser } from '@prometheus-io/lezer-promql';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The scrapes at the start and at the end of the range of `rate` and `increase`. */
export interface Scrapes {
  before: readonly Sample[];
  after: readonly Sample[];
}

type Vector = Omit<Sample, 'name'>[];
type Value = Vector | number;

/**
 * The value of a PromQL query at the time of the second scrape. As in Prometheus, `rate` and `increase` ignore a series that
 * the first scrape did not have. Supports what the alerts use; other parts of the language throw an error.
 */
export function evaluate(query: string, scrapes: Scrapes): Value {
  const textOf = ({ from, to }: SyntaxNode) => query.slice(from, to);

  function result(node: SyntaxNode): Value {
    const [first, second] = childrenOf(node);
    if (node.name === 'NumberDurationLiteral') return Number(textOf(node));
    if (node.name === 'VectorSelector') return select(node, scrapes.after);
    if (node.name === 'AggregateExpr') return aggregate(node);
    if (node.name === 'FunctionCall') return call(node);
    if (node.name === 'ParenExpr' && first) return result(first);
    if (node.name === 'BinaryExpr' && first && second && node.lastChild) {
      return operators(textOf(second), result(first), result(node.lastChild));
    }
    throw new Error(`${node.name} is not supported: ${textOf(node)}`);
  }

  function vectorOf(node: SyntaxNode | undefined): Vector {
    const value = node && result(node);
    if (!Array.isArray(value)) throw new Error(`no vector: ${query}`);
    return value;
  }

  function select(node: SyntaxNode, samples: readonly Sample[]): Vector {
    const name = node.getChild('Identifier');
    const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
    const tests = matchers.map((matcher) => {
      const [label = '', operator = '', quoted = ''] = childrenOf(matcher).map(textOf);
      const wanted: string = JSON.parse(quoted);
      const pattern = new RegExp(`^(?:${wanted})$`);
      return ({ labels: { [label]: value = '' } }: Sample) => {
        const isMatch = operator.endsWith('~') ? pattern.test(value) : value === wanted;
        return isMatch !== operator.startsWith('!');
      };
    });
    return samples.filter(
      (sample) => sample.name === (name && textOf(name)) && tests.every((test) => test(sample)),
    );
  }

  function aggregate(node: SyntaxNode): Vector {
    const operator = textOf(node.getChild('AggregateOp') ?? node);
    const labels = node.getChild('AggregateModifier')?.getChild('GroupingLabels')?.getChildren('LabelName');
    const groups = grouped(vectorOf(argumentsOf(node)[0]), labels?.map(textOf) ?? []);
    const combine = { sum: (a: number, b: number) => a + b, max: Math.max }[operator];
    if (!combine) throw new Error(`${operator} is not supported`);
    return groups.map(({ labels, members }) => ({
      labels,
      value: members.map(({ value }) => value).reduce((a, b) => combine(a, b)),
    }));
  }

  function call(node: SyntaxNode): Vector {
    const name = textOf(node.getChild('FunctionIdentifier') ?? node);
    const [first, second] = argumentsOf(node);
    if (name === 'absent') return vectorOf(first).length > 0 ? [] : [{ labels: {}, value: 1 }];
    if (name === 'histogram_quantile' && first) return quantiles(Number(textOf(first)), vectorOf(second));
    if (name !== 'rate' && name !== 'increase') throw new Error(`${name} is not supported`);
    const selector = first?.getChild('VectorSelector') ?? node;
    const before = new Map(select(selector, scrapes.before).map((one) => [keyOf(one.labels), one.value]));
    return select(selector, scrapes.after).flatMap(({ labels, value }) => {
      const since = before.get(keyOf(labels));
      return since === undefined ? [] : [{ labels, value: value - since }];
    });
  }

  const { firstChild } = parser.parse(query).topNode;
  if (!firstChild) throw new Error('an empty query');
  return result(firstChild);
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

function argumentsOf(node: SyntaxNode): SyntaxNode[] {
  const body = node.getChild('FunctionCallBody');
  return body ? childrenOf(body) : [];
}

function keyOf(labels: Record<string, string>): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function grouped(vector: Vector, by: readonly string[]) {
  const groups = new Map<string, { labels: Record<string, string>; members: Vector }>();
  for (const one of vector) {
    const labels = Object.fromEntries(by.map((label) => [label, one.labels[label] ?? '']));
    const group = groups.get(keyOf(labels)) ?? { labels, members: [] };
    group.members.push(one);
    groups.set(keyOf(labels), group);
  }
  return [...groups.values()];
}

/** The upper bound of the bucket in which the quantile lies: Prometheus interpolates in it. */
function quantiles(quantile: number, vector: Vector): Vector {
  const others = Object.keys(vector[0]?.labels ?? {}).filter((label) => label !== 'le');
  return grouped(vector, others).flatMap(({ labels, members }) => {
    const buckets = members
      .map(({ labels: { le }, value }) => ({ le: le === '+Inf' ? Infinity : Number(le), value }))
      .sort((a, b) => a.le - b.le);
    const count = buckets.at(-1)?.value ?? 0;
    const bucket = buckets.find(({ value }) => value >= quantile * count);
    return bucket && count > 0 ? [{ labels, value: bucket.le }] : [];
  });
}

function operators(operator: string, left: Value, right: Value): Vector {
  if (!Array.isArray(left)) throw new Error('a number on the left is not supported');
  const of = new Map(Array.isArray(right) ? right.map(({ labels, value }) => [keyOf(labels), value]) : []);
  const pairs = left.flatMap((one) => {
    const other = Array.isArray(right) ? of.get(keyOf(one.labels)) : right;
    return other === undefined ? [] : [{ ...one, other }];
  });
  if (operator === '/') return pairs.map(({ labels, value, other }) => ({ labels, value: value / other }));
  if (operator === '>') return pairs.filter(({ value, other }) => value > other);
  if (operator === '==') return pairs.filter(({ value, other }) => value === other);
  throw new Error(`${operator} is not supported`);
}
