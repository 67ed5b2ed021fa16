import { type DocumentNode, Kind, type OperationDefinitionNode, print, visit } from 'graphql';

/** The clients of docs/frontend.md. */
export const typedClients = ['fetch', 'graphql-request', 'urql', 'Apollo Client', 'Relay'] as const;
export type TypedClient = (typeof typedClients)[number];

/** Of the project on that page: what a module imports, the parameter that sends, and the call that does. */
const callers: Record<Exclude<TypedClient, 'Relay'>, Record<'imports' | 'sender' | 'call', string>> = {
  fetch: {
    imports: `import { graphql } from './generated/gql.ts';
import { type Portico, request } from './portico.ts';`,
    sender: 'portico: Portico',
    call: 'request(portico, DOCUMENT, variables)',
  },
  'graphql-request': {
    imports: `import type { GraphQLClient } from 'graphql-request';
import { graphql } from './generated/gql.ts';
import { request } from './graphql-request.ts';`,
    sender: 'client: GraphQLClient',
    call: 'request(client, DOCUMENT, variables)',
  },
  urql: {
    imports: `import type { Client } from '@urql/core';
import { graphql } from './generated/gql.ts';`,
    sender: 'client: Client',
    call: 'client.query(DOCUMENT, variables).toPromise()',
  },
  'Apollo Client': {
    imports: `import type { ApolloClient } from '@apollo/client';
import { graphql } from './generated/gql.ts';`,
    sender: 'client: ApolloClient',
    call: 'client.query({ query: DOCUMENT, variables })',
  },
};

/**
 * A module with the operation and a function that sends it, for the project of docs/frontend.md. `document` has
 * the operation, its fragments, and nothing else.
 * @throws Error where the client has no such operations.
 */
export function typedFrom(client: TypedClient, document: DocumentNode): string {
  const base = baseNameOf(document);
  if (client === 'Relay') return relayFrom(base, document);
  const { imports, sender, call } = callers[client];
  const constant = constantOf(base);
  return `// src/${lowerFirst(base)}.ts in the project of docs/frontend.md. Generate its types: npx graphql-codegen
import type { VariablesOf } from '@graphql-typed-document-node/core';
${imports}

export const ${constant} = graphql(${template(print(named(document, operationOf(document)?.name?.value ?? base)))});

export function load${base}(${sender}, variables: VariablesOf<typeof ${constant}>) {
  return ${call.replace('DOCUMENT', constant)};
}
`;
}

/** Relay has a template for each definition, whose names begin with that of the module. */
function relayFrom(base: string, document: DocumentNode): string {
  if (hasDeferredField(document))
    throw new Error('Relay defers named fragments only, and no `... @defer { }`.');
  const name = `${base}Query`;
  const constant = constantOf(base);
  const definitions = named(withFragmentNames(document, base), name).definitions.map((definition) => {
    const isOperation = definition.kind === Kind.OPERATION_DEFINITION;
    return `${isOperation ? `export const ${constant} = ` : ''}graphql${template(print(definition))};`;
  });
  return `// src/relay/${base}.ts in the project of docs/frontend.md. Generate its types: npx relay-compiler
import { type Environment, fetchQuery, graphql } from 'relay-runtime';
import type { ${name} } from './__generated__/${name}.graphql.ts';

${definitions.join('\n\n')}

export function load${base}(environment: Environment, variables: ${name}['variables']) {
  return fetchQuery<${name}>(environment, ${constant}, variables).toPromise();
}
`;
}

/** `Site` of `query Site` and of `query siteQuery`. */
function baseNameOf(document: DocumentNode): string {
  const name = operationOf(document)?.name?.value.replace(/Query$/, '') || 'Operation';
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** The suffix keeps it apart from the words of the language. */
function constantOf(base: string): string {
  return `${lowerFirst(base)}Query`;
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

function operationOf(document: DocumentNode): OperationDefinitionNode | undefined {
  return document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
}

function named(document: DocumentNode, value: string): DocumentNode {
  return visit(document, {
    OperationDefinition: (node) => ({ ...node, name: { kind: Kind.NAME, value } }),
  });
}

function withFragmentNames(document: DocumentNode, base: string): DocumentNode {
  const rename = <Node extends { name: { value: string } }>(node: Node): Node => {
    const { value } = node.name;
    return value.startsWith(base) ? node : { ...node, name: { ...node.name, value: `${base}_${value}` } };
  };
  return visit(document, { FragmentDefinition: rename, FragmentSpread: rename });
}

function hasDeferredField(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    InlineFragment({ directives = [] }) {
      found ||= directives.some(({ name }) => name.value === 'defer');
    },
  });
  return found;
}

/** The generators read a template as it is written, with its escapes. */
function template(text: string): string {
  if (/[\\`]|\$\{/.test(text)) {
    throw new Error(
      'A typed operation has no string with a quote, a backslash, a backtick or ${. Make it a variable.',
    );
  }
  return `\`\n${text.replace(/^(?=.)/gm, '  ')}\n\``;
}
