import type { CodegenConfig } from '@graphql-codegen/cli';
import { preset } from '@graphql-codegen/client-preset';
import { printSchema } from 'graphql';
import { composition } from './src/features.ts';
import { withCosts } from './src/programs/plan/codegen-cost.ts';
import { schema, sdlOf, servedSchema } from './src/schema/index.ts';

const { config: defaults } = composition.settings.configFromEnv({});
if (!defaults) throw new Error('the defaults are invalid');
/** The schema of a gateway with the default settings. */
const served = servedSchema(composition.compose(defaults, () => {}).schema);

/** `npm run codegen` writes the public contract and, from it, the types of every operation in examples. */
const config: CodegenConfig = {
  schema: printSchema(schema),
  importExtension: '.ts',
  ignoreNoDocuments: true,
  generates: {
    'schema.graphql': { plugins: ['schema-ast'] },
    'examples/dashboard/schema.graphql': {
      schema: sdlOf(served),
      plugins: ['schema-ast'],
    },
    'examples/generated/': {
      preset: withCosts(preset),
      // With a manifest of the operations by their hashes, for a gateway that knows them.
      presetConfig: { fragmentMasking: false, persistedDocuments: true },
      config: { useTypeImports: true, scalars: { DateTime: 'string', Date: 'string', JSON: 'unknown' } },
      documents: ['examples/*.ts'],
    },
  },
};

export default config;
