import type { OperationParts, PipelineCore } from '../../composition.ts';
import { readTrustedFile, type Trust, trustedDocumentFor, trustedPhase } from './documents.ts';

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
  const trust: Trust = { documents: given && new Map(), only: given?.only ?? false };
  if (!given) return { phases: [trustedPhase(trust)], sources: [], starts: [], checks: [] };
  const read = () => readTrustedFile(given.path, validate);
  return {
    phases: [trustedPhase(trust)],
    sources: [(params) => trustedDocumentFor(params, trust)?.document],
    starts: [
      async () => {
        const { documents, faults } = await read();
        if (faults.length > 0) throw new Error(faults.join('\n'));
        trust.documents = documents;
      },
    ],
    checks: [
      async () => {
        const { documents, faults } = await read();
        return { lines: [`trusted documents: ${documents.size}`], faults };
      },
    ],
  };
}
