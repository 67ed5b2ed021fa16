import type { CodegenConfig } from '@graphql-codegen/cli';
import { printSchema } from 'graphql';
import { schema } from './src/schema/index.ts';

/** `npm run codegen` writes the public contract. */
const config: CodegenConfig = {
  schema: printSchema(schema),
  generates: { 'schema.graphql': { plugins: ['schema-ast'] } },
};

export default config;
