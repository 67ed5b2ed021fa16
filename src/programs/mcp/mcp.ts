import { type DocumentNode, Kind, print, visit } from 'graphql';
import { createIdleGateway } from '../../command/check.ts';
import type { Composition } from '../../composition.ts';
import type { CoreConfig } from '../../config/core.ts';
import { isPlanning } from '../../config/declaration.ts';
import { readEnv } from '../../config.ts';
import { createPlanner, type OperationPlan } from '../../features/explain/index.ts';
import { readTrustedDocuments } from '../../features/trusted/index.ts';
import type { Gateway } from '../../gateway.ts';
import { apiKeyFrom } from '../../http/request.ts';
import { withoutIncremental } from '../../operation/execute.ts';
import { createCallTool } from './client.ts';
import { startHttp } from './http.ts';
import { createMcp } from './server.ts';
import { startStdio } from './stdio.ts';
import { toolsFrom } from './tools.ts';

/** The settings of the gateway's listener that are those of the port, too. */
const listenerSettings = [
  'MAX_CONNECTIONS',
  'MAX_UNREAD_BYTES',
  'REQUEST_TIMEOUT_MS',
  'KEEP_ALIVE_MS',
  'MAX_BODY_BYTES',
];

/**
 * Serves the queries of a manifest as tools to agents: on standard input and output, or over HTTP where there
 * is a port. Returns what `portico mcp` prints once it serves, or all reasons why it cannot.
 */
export async function serveMcp<Config extends CoreConfig>(
  { gateway, documents: path, port }: { gateway: URL; documents: string; port: number | undefined },
  composition: Composition<Config>,
) {
  const { readMarked, configFromEnv } = composition.settings;
  const env = readEnv();
  const listener = Object.fromEntries(listenerSettings.map((name) => [name, env[name]]));
  const { config, faults = [] } = configFromEnv({ ...readMarked(isPlanning), ...listener });
  // Over HTTP each request has its own.
  const apiKey = port === undefined ? apiKeyFrom(env.PORTICO_API_KEY) : null;
  if (apiKey === undefined) faults.push('PORTICO_API_KEY must be set to the API key, in visible ASCII');
  if (!config) return { lines: [], faults };
  const { tools, faults: documentFaults } = await readTools(path, createIdleGateway(config, composition));
  // The path could be a misplaced key.
  faults.push(...documentFaults.map((fault) => `--documents ${fault.replace(`'${path}'`, 'FILE')}`));
  if (faults.length > 0) return { lines: [], faults };
  const mcp = createMcp(tools, createCallTool(gateway), apiKey ?? null);
  if (port === undefined) {
    startStdio(mcp, config.maxBodyBytes);
    return { lines: [], faults };
  }
  try {
    const { url, close } = await startHttp(mcp, port, config);
    return { lines: [`ready at ${url}`], faults, close };
  } catch (error) {
    return { lines: [], faults: [`--port cannot be opened: ${(error as NodeJS.ErrnoException).message}`] };
  }
}

/** The tools of the trusted documents, or the faults of both. */
async function readTools(path: string, { operations }: Gateway) {
  // The documents are valid. Without @defer and @stream they may have variables that nothing uses.
  const planner = createPlanner({ ...operations, validate: () => [] });
  const { documents, faults } = await readTrustedDocuments(path, operations.validate);
  if (faults)
    return { tools: new Map(), faults: faults.map((fault) => fault.replace('TRUSTED_DOCUMENTS ', '')) };
  return toolsFrom(documents, (document, operationName) => {
    const text = print(asCalled(document));
    const source = { text, isTrusted: true, placeAt: () => ({ file: 'FILE', line: 1, column: 1 }) };
    const { operations, faults } = planner.plan([source], { variables: {}, operationName });
    // One with a default may have any value too.
    const messages = faults.map(({ message }) => message.replace(/: give some of them .*default/, ''));
    return { cost: operations.map(costFrom).join(), faults: messages };
  });
}

/** A document as a tool is called: for one complete response, with any value for a variable that has a default. */
function asCalled(document: DocumentNode): DocumentNode {
  return visit(withoutIncremental(document), {
    VariableDefinition({ defaultValue, ...rest }) {
      const type = rest.type.kind === Kind.NON_NULL_TYPE ? rest.type.type : rest.type;
      // The values of other types cost the same.
      const isPriced = type.kind === Kind.LIST_TYPE || type.name.value === 'Boolean';
      return defaultValue && isPriced ? { ...rest, type: { kind: Kind.NON_NULL_TYPE, type } } : undefined;
    },
  });
}

function costFrom({ formula, cost, atMost, assumed }: OperationPlan): string {
  const most = cost.forEach.length > 0 ? `, at most ${atMost}` : '';
  const given = assumed.length > 0 ? `, with ${assumed.join(', ')}` : '';
  return `REST calls: ${formula}${most}${given}.`;
}
