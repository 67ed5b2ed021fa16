import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A change of the source of the gateway, and the fault that it causes. */
export interface Mutant {
  fault: string;
  file: string;
  from: string;
  to: string;
}

const lookAhead = 'schema/look-ahead.ts';
const walk = 'schema/selections.ts';

/** Faults that show in complete responses. */
export const mutants: Mutant[] = [
  {
    fault: 'forgets named fragments',
    file: walk,
    from: 'node : walk.info.fragments[node.name.value]',
    to: 'node : undefined',
  },
  {
    fault: 'forgets inline fragments',
    file: walk,
    from: 'node.kind === Kind.INLINE_FRAGMENT ? node :',
    to: 'node.kind === Kind.INLINE_FRAGMENT ? undefined :',
  },
  {
    fault: 'forgets @skip',
    file: walk,
    from: 'GraphQLSkipDirective, node, walk) !== true',
    to: 'GraphQLSkipDirective, node, walk) !== null',
  },
  {
    fault: 'forgets @include',
    file: walk,
    from: 'GraphQLIncludeDirective, node, walk) !== false',
    to: 'GraphQLIncludeDirective, node, walk) !== null',
  },
  {
    fault: 'forgets the values of variables',
    file: walk,
    from: 'getDirectiveValues(directive, node, walk.info.variableValues)?.if',
    to: 'walk.info.variableValues && directive.args[0]?.defaultValue',
  },
  {
    fault: 'takes the alias for the name',
    file: lookAhead,
    from: 'getFields()[field.name.value]',
    to: 'getFields()[(field.alias ?? field.name).value]',
  },
  {
    fault: 'looks at the first node of a field only',
    file: lookAhead,
    from: 'of info.fieldNodes)',
    to: 'of info.fieldNodes.slice(0, 1))',
  },
  {
    fault: 'looks at nothing',
    file: lookAhead,
    from: 'const includes = [...relations]',
    to: 'const includes: Relation[] = []',
  },
  {
    fault: 'asks for everything',
    file: lookAhead,
    from: 'const includes = [...relations]',
    to: "const includes: Relation[] = ['clients', 'projects']",
  },
  {
    fault: 'makes one call for each load of a tick',
    file: 'loaders.ts',
    from: 'for (const [id, wanted] of unionsOf(loads)) this.#request(id, wanted)',
    to: 'for (const { id, include } of loads) this.#request(id, include)',
  },
  {
    fault: 'forgets which relations it has requested',
    file: 'loaders.ts',
    from: '!known.some((call) => returns(call, relation))',
    to: 'known.every((call) => call.include || relation)',
  },
];

/** Faults that show in incremental responses only. */
export const deferMutants: Mutant[] = [
  {
    fault: 'looks into what is deferred',
    file: walk,
    from: 'if (walk.isNow) return;',
    to: '',
  },
  {
    fault: 'takes every @defer for an active one',
    file: walk,
    from: 'deferDirective, node, walk) === true',
    to: 'deferDirective, node, walk) !== undefined',
  },
  {
    fault: 'takes a fragment for walked where it is deferred',
    file: walk,
    from: 'if (walk.isNow) return;',
    to: `if (walk.isNow) {
      const name = node.kind === Kind.FRAGMENT_SPREAD ? node.name.value : '';
      const put = walk.info.fragments[name];
      if (put) walk.seen.add(put);
      return;
    }`,
  },
  {
    fault: 'has no guarantee behind the look-ahead',
    file: 'schema/types/site.ts',
    from: 'await loaders.site(input.siteId(site.id), [relation], info)',
    to: '[loaders, input, info, null][3] as null',
  },
];

/** Copies the source of the gateway, and applies the mutant: modules are imported from `src`. */
export async function copyOfGateway(mutant?: Mutant) {
  const root = await mkdtemp(join(tmpdir(), 'portico-mutant-'));
  const src = join(root, 'src');
  await cp(resolve('src'), src, { recursive: true });
  await symlink(resolve('node_modules'), join(root, 'node_modules'));
  if (mutant) {
    const file = join(src, mutant.file);
    const text = await readFile(file, 'utf8');
    if (text.split(mutant.from).length !== 2) throw new Error(`${mutant.file} has not one ${mutant.from}`);
    await writeFile(
      file,
      text.replace(mutant.from, () => mutant.to),
    );
  }
  return { src, remove: () => rm(root, { recursive: true }) };
}
