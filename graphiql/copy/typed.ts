import {
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  visit,
} from 'graphql';

/** The clients of docs/frontend.md. */
export const typedClients = ['fetch', 'graphql-request', 'urql', 'Apollo Client', 'Relay'] as const;
export type TypedClient = (typeof typedClients)[number];

/** Of the project on that page: what a module imports, the parameter that sends, and the call that does. */
type Caller = Record<'imports' | 'sender' | 'call', string>;

/** The project is without Relay's operations, which its own compiler reads. */
type Project = Record<Exclude<TypedClient, 'Relay'>, Caller>;

const queryCallers: Project = {
  fetch: {
    imports: `import { graphql } from '../generated/gql.ts';
import { type Portico, request } from '../portico.ts';`,
    sender: 'portico: Portico',
    call: 'request(portico, DOCUMENT, variables)',
  },
  'graphql-request': {
    imports: `import type { GraphQLClient } from 'graphql-request';
import { graphql } from '../generated/gql.ts';
import { request } from '../graphql-request.ts';`,
    sender: 'client: GraphQLClient',
    call: 'request(client, DOCUMENT, variables)',
  },
  urql: {
    imports: `import type { Client } from '@urql/core';
import { graphql } from '../generated/gql.ts';`,
    sender: 'client: Client',
    call: 'client.query(DOCUMENT, variables).toPromise()',
  },
  'Apollo Client': {
    imports: `import type { ApolloClient } from '@apollo/client';
import { graphql } from '../generated/gql.ts';`,
    sender: 'client: ApolloClient',
    call: 'client.query({ query: DOCUMENT, variables })',
  },
};

/** graphql-request has no subscriptions: beside it a live query is sent as beside `fetch`. */
const watcher: Caller = {
  imports: `import { graphql } from '../generated/gql.ts';
import { watch } from '../live.ts';
import type { Portico } from '../portico.ts';`,
  sender: 'portico: Portico',
  call: 'watch(portico, DOCUMENT, variables)',
};

const liveCallers: Project = {
  fetch: watcher,
  'graphql-request': watcher,
  urql: { ...queryCallers.urql, call: 'client.subscription(DOCUMENT, variables)' },
  'Apollo Client': {
    ...queryCallers['Apollo Client'],
    call: "client.subscribe({ query: DOCUMENT, variables, errorPolicy: 'all' })",
  },
};

/**
 * A module with the operation and a function that sends it, for the project of docs/frontend.md, in a folder that
 * has no files of that page. `document` has the operation, its fragments, and nothing else.
 * @throws Error where the client has no such operations.
 */
export function typedFrom(client: TypedClient, document: DocumentNode): string {
  const operation = operationOf(document);
  const base = baseNameOf(operation);
  const isLive = operation?.operation === OperationTypeNode.SUBSCRIPTION;
  if (client === 'Relay') return relayFrom(base, isLive, document);
  const { imports, sender, call } = (isLive ? liveCallers : queryCallers)[client];
  const constant = `${lowerFirst(base)}${kindOf(isLive)}`;
  return `${headingOf(`src/operations/${lowerFirst(base)}.ts`, isLive, 'graphql-codegen')}
import type { VariablesOf } from '@graphql-typed-document-node/core';
${imports}

export const ${constant} = graphql(${template(print(named(document, operation?.name?.value ?? base)))});

export function ${isLive ? 'watch' : 'load'}${base}(${sender}, variables: VariablesOf<typeof ${constant}>) {
  return ${call.replace('DOCUMENT', constant)};
}
`;
}

/** Relay has a template for each definition, whose names begin with that of the module. */
function relayFrom(base: string, isLive: boolean, document: DocumentNode): string {
  if (hasDeferredField(document))
    throw new Error('Relay defers named fragments only, and no `... @defer { }`.');
  const name = `${base}${kindOf(isLive)}`;
  const sender = isLive ? 'requestSubscription' : 'fetchQuery';
  // `query Fetch` would declare what it imports.
  const constant = lowerFirst(name) === sender ? `${sender}Document` : lowerFirst(name);
  const definitions = named(withFragmentNames(document, base), name).definitions.map((definition) => {
    const isOperation = definition.kind === Kind.OPERATION_DEFINITION;
    return `${isOperation ? `export const ${constant} = ` : ''}graphql${template(print(definition))};`;
  });
  return `${headingOf(`src/relay/operations/${base}.ts`, isLive, 'relay-compiler')}
import { ${isLive ? relayImports.live : relayImports.query} } from 'relay-runtime';
import type { ${name} } from './__generated__/${name}.graphql.ts';

${definitions.join('\n\n')}

${isLive ? relayWatch(base, name, constant) : relayLoad(base, name, constant)}
`;
}

const relayImports = {
  query: 'type Environment, fetchQuery, graphql',
  live: 'type Environment, type GraphQLSubscriptionConfig, graphql, requestSubscription',
};

const relayLoad = (
  base: string,
  name: string,
  constant: string,
) => `export function load${base}(environment: Environment, variables: ${name}['variables']) {
  return fetchQuery<${name}>(environment, ${constant}, variables).toPromise();
}`;

const relayWatch = (
  base: string,
  name: string,
  constant: string,
) => `type Watch${base}Config = Omit<GraphQLSubscriptionConfig<${name}>, 'subscription'>;

export function watch${base}(environment: Environment, config: Watch${base}Config) {
  return requestSubscription<${name}>(environment, { ...config, subscription: ${constant} });
}`;

function headingOf(path: string, isLive: boolean, generator: string): string {
  const page = `docs/frontend.md${isLive ? '#live-queries' : ''}`;
  return `// ${path} in the project of ${page}. Generate its types: npx ${generator}`;
}

/** Ends the names of Relay's operations, and keeps a constant apart from the words of the language. */
function kindOf(isLive: boolean): 'Query' | 'Subscription' {
  return isLive ? 'Subscription' : 'Query';
}

/** `Site` of `query Site`, of `query siteQuery` and of `subscription SiteSubscription`. */
function baseNameOf(operation: OperationDefinitionNode | undefined): string {
  const name = operation?.name?.value.replace(/(Query|Subscription)$/, '') || 'Operation';
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
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
