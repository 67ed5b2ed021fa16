import type { CodegenConfig } from '@graphql-codegen/cli';
import { addTypenameSelectionDocumentTransform, preset } from '@graphql-codegen/client-preset';

/** Of the package of the gateway, as it is installed beside a copy; in its repository what `npm run build` writes. */
const [installed, built] = ['portico/codegen-cost', '../../dist/codegen-cost.js'];
type Costs = { withCosts<Preset>(preset: Preset): Preset };
const { withCosts }: Costs = await import(installed).catch(() => import(built));

/** `npm run codegen` writes the types of all operations, and the manifest that the gateway reads as `TRUSTED_DOCUMENTS`. */
const config: CodegenConfig = {
  // Written by `portico print-schema --live`; the URL of an endpoint will do as well.
  schema: 'schema.graphql',
  documents: ['src/**/*.{ts,tsx}', '!src/generated/**'],
  importExtension: '.ts',
  generates: {
    'src/generated/': {
      // The REST calls of each operation, shown where the pointer is on its `graphql`.
      preset: withCosts(preset),
      presetConfig: {
        persistedDocuments: true,
        // Components read their own fragments only. Not called `useFragment`, because it is no hook.
        fragmentMasking: { unmaskFunctionName: 'readFragment' },
      },
      // The cache needs the type names, so that they must be in the documents of the manifest too.
      documentTransforms: [addTypenameSelectionDocumentTransform],
      config: { useTypeImports: true, scalars: { DateTime: 'string', Date: 'string', JSON: 'unknown' } },
    },
  },
};

export default config;
