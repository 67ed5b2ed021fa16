import { createRequire } from 'node:module';
import type { CodegenConfig } from '@graphql-codegen/cli';
import { addTypenameSelectionDocumentTransform, preset } from '@graphql-codegen/client-preset';

/** A file of the gateway's package, as it is installed beside a copy, or else of the repository. */
function ofPortico(name: string, file: string): string {
  try {
    return createRequire(import.meta.url).resolve(`portico/${name}`);
  } catch {
    return `../../${file}`;
  }
}

type Costs = { withCosts<Preset>(preset: Preset): Preset };
const { withCosts }: Costs = await import(ofPortico('codegen-cost', 'dist/codegen-cost.js'));

/** `npm run codegen` writes the types of all operations, and the manifest that the gateway reads as `TRUSTED_DOCUMENTS`. */
const config: CodegenConfig = {
  // `portico print-schema --live` prints both as one; the URL of an endpoint will do as well.
  schema: [ofPortico('schema.graphql', 'schema.graphql'), 'live.graphql'],
  documents: ['src/**/*.{ts,tsx}', '!src/generated/**'],
  importExtension: '.ts',
  generates: {
    'src/generated/': {
      // The REST calls of each operation, shown while the pointer is on its `graphql`.
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
