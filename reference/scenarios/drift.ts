/**
 * The differences from the document, by the kind of the resource: a value that is no longer allowed, other types,
 * a field that is missing, a new one.
 */
const drifts: Readonly<Record<string, object>> = {
  site: {
    serviceLevel: 'Platinum',
    sla: '4 hours',
    isMonitored: 'yes',
    accountManager: undefined,
    energyRating: { class: 'B', since: '2026-01-01' },
  },
  conversation: {
    status: 7,
    labels: 'urgent',
    requester: undefined,
    sentiment: 'calm',
  },
};

/** The JSON text of the resource at this path, with its drift; any other text is returned as it is. */
export function driftedBody(path: string, body: string): string {
  const [, version, kind = ''] = path.split('/');
  const drift = version === 'v1' ? drifts[kind] : undefined;
  // JSON omits a field that is undefined.
  return drift ? JSON.stringify({ ...JSON.parse(body), ...drift }) : body;
}
