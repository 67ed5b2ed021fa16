import { defineConfig } from '@graphql-mesh/compose-cli';
import { loadOpenAPISubgraph } from '@omnigraph/openapi';
import { inBench } from '../../paths.ts';

const { UPSTREAM_URL = '' } = process.env;

export const composeConfig = defineConfig({
  subgraphs: [
    {
      sourceHandler: loadOpenAPISubgraph('Partner', {
        source: inBench('contenders/hive/openapi.json'),
        endpoint: UPSTREAM_URL,
        operationHeaders: { 'x-api-key': '{context.headers["x-api-key"]}' },
      }),
    },
  ],
  additionalTypeDefs: `
    extend type ConversationSite {
      site: Site @resolveTo(
        sourceName: "Partner"
        sourceTypeName: "Query"
        sourceFieldName: "getSite"
        requiredSelectionSet: "{ id }"
        sourceArgs: { id: "{root.id}", include: "clients,projects" }
      )
    }
  `,
});
