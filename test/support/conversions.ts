import { relative, resolve } from 'node:path';
import { type Expression, type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import {
  isAsExpression,
  isBinaryExpression,
  isCallExpression,
  isComputedPropertyName,
  isElementAccessExpression,
  isIdentifier,
  isNewExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isReturnStatement,
  isTaggedTemplateExpression,
  isTemplateExpression,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is';
import {
  API,
  type Checker,
  type Project,
  SignatureKind,
  type Type,
  TypeFlags,
  type TypeReference,
} from 'typescript/unstable/async';

/** What a value is turned into: `shape` is a type that nothing has checked, by `as` or by an annotation. */
type Conversion = 'text' | 'number' | 'key' | 'shape';

/**
 * Every place in these folders where a value is turned into a text, a number or a key, or is taken for some
 * type, although its own type is not known: `src/file.ts: text of unknown: String(value)`. A list of known
 * values makes a text in linear time, and counts as known; a list in a list does not.
 *
 * It asks the type checker, because `unknown` is legal in a template, and `any` everywhere.
 */
export async function findConversions(root: string, folders: readonly string[]): Promise<string[]> {
  const api = new API({ cwd: root });
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [resolve(root, 'tsconfig.json')] });
    const [project] = snapshot.getProjects();
    if (!project) throw new Error(`There is no project in ${root}.`);
    const within = folders.map((folder) => `${resolve(root, folder)}/`);
    const names = await project.program.getSourceFileNames();
    const chosen = names.filter((name) => within.some((folder) => name.startsWith(folder)));
    const found = await Promise.all(chosen.map((name) => conversionsIn(project, name)));
    return found.flatMap((findings, n) =>
      findings.map((finding) => `${relative(root, chosen[n] ?? '')}: ${finding}`),
    );
  } finally {
    await api.close();
  }
}

async function conversionsIn({ program, checker }: Project, name: string): Promise<string[]> {
  const file = await program.getSourceFile(name);
  if (!file) return [];
  const candidates = [...candidatesIn(file)];
  const types = await typesOf(checker, candidates);
  const findings = await Promise.all(
    candidates.map(async (candidate, n) => {
      const type = types[n];
      // An empty list has no values to convert.
      if (type === 'unreadable' && candidate.value.getText(file) === '[]') return [];
      if (type === 'unreadable') return [`${candidate.conversion} of ?: ${textOf(candidate, file)}`];
      if (!type || isThrown(candidate.value) || (await isSound(checker, type, candidate))) return [];
      return [`${candidate.conversion} of ${await checker.typeToString(type)}: ${textOf(candidate, file)}`];
    }),
  );
  return findings.flat();
}

function textOf({ shown }: Candidate, file: SourceFile): string {
  return shown.getText(file).replace(/\s+/g, ' ');
}

/** The types of the values. The checker fails on some tuples (TypeScript 7.0), which are asked for alone then. */
async function typesOf(checker: Checker, candidates: readonly Candidate[]) {
  const values = candidates.map(({ value }) => value);
  const together = await checker.getTypeAtLocation(values).catch(() => undefined);
  if (together) return together;
  const one = (value: Node) => checker.getTypeAtLocation(value).catch(() => 'unreadable' as const);
  return Promise.all(values.map(one));
}

interface Candidate {
  conversion: Conversion;
  value: Node;
  /** What the finding shows. */
  shown: Node;
  /** Whether the elements of the value are converted. */
  isElement?: boolean;
  /** Of a shape: where the type stands that it is taken for; absent: what its place requires. */
  expected?: Node | undefined;
}

const converters = new Map<string, Conversion>([
  ['String', 'text'],
  ['Number', 'number'],
  ['BigInt', 'number'],
  ['Symbol', 'key'],
]);
const signs = new Set([SyntaxKind.PlusToken, SyntaxKind.MinusToken, SyntaxKind.TildeToken]);
const sums = new Set([SyntaxKind.PlusToken, SyntaxKind.PlusEqualsToken]);

/** All places of a tree that convert a value, whatever its type. */
function* candidatesIn(node: Node): Generator<Candidate> {
  yield* candidatesOf(node);
  const children: Node[] = [];
  node.forEachChild((child) => {
    children.push(child);
  });
  for (const child of children) yield* candidatesIn(child);
}

function* candidatesOf(node: Node): Generator<Candidate> {
  if (isTemplateExpression(node)) {
    // A tag decides itself what it makes of the values.
    if (isTaggedTemplateExpression(node.parent)) return;
    for (const { expression } of node.templateSpans)
      yield { conversion: 'text', value: expression, shown: expression };
  } else if (isBinaryExpression(node)) {
    if (!sums.has(node.operatorToken.kind)) return;
    for (const value of [node.left, node.right]) yield { conversion: 'text', value, shown: node };
  } else if (isPrefixUnaryExpression(node)) {
    if (signs.has(node.operator)) yield { conversion: 'number', value: node.operand, shown: node };
  } else if (isElementAccessExpression(node)) {
    yield { conversion: 'key', value: node.argumentExpression, shown: node };
  } else if (isComputedPropertyName(node)) {
    yield { conversion: 'key', value: node.expression, shown: node };
  } else if (isAsExpression(node)) {
    yield { conversion: 'shape', value: node.expression, shown: node, expected: node.type };
  } else if (isVariableDeclaration(node)) {
    if (node.type && node.initializer)
      yield { conversion: 'shape', value: node.initializer, shown: node, expected: node.type };
  } else if (isReturnStatement(node)) {
    if (node.expression) yield { conversion: 'shape', value: node.expression, shown: node };
  } else if (isCallExpression(node) || isNewExpression(node)) {
    yield* candidatesOfCall(node.expression, node.arguments ?? [], node);
  }
}

function* candidatesOfCall(callee: Node, values: readonly Node[], shown: Node): Generator<Candidate> {
  const conversion = isIdentifier(callee) ? converters.get(callee.text) : undefined;
  const method = isPropertyAccessExpression(callee) ? callee : undefined;
  for (const value of values) {
    if (conversion) yield { conversion, value, shown };
    // `values.map(String)`
    const passed = isIdentifier(value) ? converters.get(value.text) : undefined;
    if (method && passed) yield { conversion: passed, value: method.expression, shown, isElement: true };
    if (!conversion && !passed) yield { conversion: 'shape', value, shown: value };
  }
  if (method?.name.text === 'join')
    yield { conversion: 'text', value: method.expression, shown, isElement: true };
  if (method?.name.text === 'toString') yield { conversion: 'text', value: method.expression, shown };
}

const simple =
  TypeFlags.StringLike |
  TypeFlags.NumberLike |
  TypeFlags.BigIntLike |
  TypeFlags.BooleanLike |
  TypeFlags.ESSymbolLike |
  TypeFlags.Index |
  TypeFlags.Null |
  TypeFlags.Undefined |
  TypeFlags.Void |
  TypeFlags.Never;
const generic = TypeFlags.TypeParameter | TypeFlags.IndexedAccess | TypeFlags.Conditional;

/** Objects whose text is part of what they are. */
const texts = /^(Buffer|NonSharedBuffer|URL|URLSearchParams|RegExp|Error)\b/;

/** What is thrown is made by Node, a package or this program, and has one of these names everywhere. */
function isThrown(value: Node): boolean {
  return /^\(?(error|fault)\b/.test(value.getText());
}

async function isSound(
  checker: Checker,
  type: Type,
  { conversion, value, isElement, expected }: Candidate,
): Promise<boolean> {
  if (conversion !== 'shape') {
    if (!isElement || type.flags & TypeFlags.Any) return isKnown(checker, type);
    // Another object may have a method of this name.
    return !(await isList(checker, type)) || isKnown(checker, type);
  }
  const isUnknown = type.flags & (expected ? TypeFlags.AnyOrUnknown : TypeFlags.Any);
  if (!isUnknown) return true;
  const taken = await (expected
    ? checker.getTypeAtLocation(expected)
    : checker.getContextualType(value as Expression));
  return !taken || isShapeless(checker, taken);
}

async function isList(checker: Checker, type: Type): Promise<boolean> {
  return (await checker.isArrayType(type)) || (await checker.isTupleType(type));
}

/** Whether a value of a type can be no object that decides what its text is, and no list of lists. */
async function isKnown(checker: Checker, type: Type): Promise<boolean> {
  if (type.flags & simple) return true;
  if (type.isUnionType()) return all(await type.getTypes(), (one) => isKnown(checker, one));
  if (type.isIntersectionType())
    return !(await all(await type.getTypes(), async (one) => !(await isKnown(checker, one))));
  if (type.flags & generic) {
    const constraint = await checker.getBaseConstraintOfType(type);
    return constraint !== undefined && constraint !== type && isKnown(checker, constraint);
  }
  if (!(await isList(checker, type))) return texts.test(await checker.typeToString(type));
  const elements = await checker.getTypeArguments(type as TypeReference);
  return all(elements, async (one) => (await isKnown(checker, one)) && !(await isList(checker, one)));
}

/** Whether a type says nothing of the values that it has: `unknown`, or an object of unknown properties. */
async function isShapeless(checker: Checker, type: Type): Promise<boolean> {
  if (type.flags & (TypeFlags.AnyOrUnknown | TypeFlags.Null | TypeFlags.Undefined)) return true;
  if (type.isUnionType()) return all(await type.getTypes(), (one) => isShapeless(checker, one));
  const signatures = type.isObjectType()
    ? await checker.getSignaturesOfType(type, SignatureKind.Call)
    : undefined;
  if (signatures?.length !== 0 || (await isList(checker, type))) return false;
  const members = await Promise.all(
    (await checker.getPropertiesOfType(type)).map((one) => checker.getTypeOfSymbol(one)),
  );
  const indexed = (await checker.getIndexInfosOfType(type)).map(({ valueType }) => valueType);
  return all([...members, ...indexed], async (one) => one !== undefined && (await isShapeless(checker, one)));
}

async function all<T>(values: readonly T[], holds: (value: T) => Promise<boolean>): Promise<boolean> {
  for (const value of values) if (!(await holds(value))) return false;
  return true;
}
