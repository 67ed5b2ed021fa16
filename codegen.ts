import type { CodegenConfig } from '@graphql-codegen/cli';
import { printSchema } from 'graphql';
import { schema } from './src/schema/index.ts';

/** `npm run codegen` writes the public contract and, from it, the types of every operation in tests and examples. */
const operations = {
  preset: 'client' as const,
  presetConfig: { fragmentMasking: false },
  config: { useTypeImports: true, scalars: { DateTime: 'string', Date: 'string', JSON: 'unknown' } },
};

const config: CodegenConfig = {
  schema: printSchema(schema),
  importExtension: '.ts',
  ignoreNoDocuments: true,
  generates: {
    'schema.graphql': { plugins: ['schema-ast'] },
    'test/generated/': {
      ...operations,
      documents: ['src/http/graphiql/examples.ts', 'test/**/*.ts', '!test/generated/**'],
    },
    'examples/generated/': {
      ...operations,
      // With a manifest of the operations by their hashes, for a gateway that knows them.
      presetConfig: { ...operations.presetConfig, persistedDocuments: true },
      documents: ['examples/*.ts'],
    },
  },
};

export default config;
