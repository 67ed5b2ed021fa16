import type { OperationParts, PipelineCore } from '../../composition.ts';
import {
  readTrustedFile,
  startTrustedFile,
  type TrustedDocuments,
  trustedDocumentFor,
  trustedPhase,
} from './documents.ts';

export { readTrustedFile as readTrustedDocuments, textsFromManifest } from './documents.ts';
export { trustedConfig, trustedContradictions, trustedSettings } from './settings.ts';

interface TrustedConfig {
  /** Null: there is no manifest. */
  trustedDocuments: { path: string; only: boolean } | null;
}

type TrustedParts = Pick<OperationParts, 'phases' | 'sources' | 'starts' | 'checks'>;

/** Documents of the operator's own, by their ids. Without a manifest requests for an id are rejected. */
export function trustedDocuments(
  { validate }: PipelineCore,
  { trustedDocuments: given }: TrustedConfig,
): TrustedParts {
  if (!given) return { phases: [trustedPhase(undefined)], sources: [], starts: [], checks: [] };
  const { path, only } = given;
  const documents: TrustedDocuments = { current: new Map() };
  const trust = { documents, only };
  return {
    phases: [trustedPhase(trust)],
    sources: [(params) => trustedDocumentFor(params, trust)?.document],
    starts: [() => startTrustedFile(path, documents, validate)],
    checks: [
      async () => {
        const { faults, documents: found } = await readTrustedFile(path, validate);
        return faults ? { lines: [], faults } : { lines: [`trusted documents: ${found.size}`], faults: [] };
      },
    ],
  };
}
