import { emptyMessages, longConversation, manySites, severalSites } from '../attacks.ts';
import { sendJson, siteFromPath, startUpstream } from '../upstream.ts';

const text = 'A sentence of a message, about as long as people write it. '.repeat(5);
const oneMegabyte = 'x'.repeat(1_000_000);

const project = {
  id: 'p',
  name: 'Heat pump',
  estimatedDay1: '02/03/2026',
  day1StartDate: '02/03/2026',
  warrantyExpiration: '2026-02-30',
  signingDate: 'soon',
};

const manyClients = Array.from({ length: 20_000 }, () => ({}));

const messagesOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    author: 'Jane Doe',
    role: 'agent',
    createdAt: '2026-03-02 14:05',
    text,
    isInternal: n % 2 === 0,
    rawBody: text,
  }));

function conversationFor(path: string): object {
  if (path.includes(manySites)) {
    return { sites: Array.from({ length: 5000 }, (_, n) => ({ id: `SITE-${n}`, address: 'x' })) };
  }
  if (path.includes(severalSites)) {
    return { sites: Array.from({ length: 49 }, (_, n) => ({ id: `SITE-${n}`, address: 'x' })) };
  }
  if (path.includes(emptyMessages)) return { messages: Array.from({ length: 50_000 }, () => ({})) };
  const isLong = path.includes(longConversation);
  return {
    subject: isLong ? oneMegabyte : 'A leak',
    messages: messagesOf(isLong ? 5000 : 20),
    sites: [{ id: 'SITE-1', address: 'x' }],
  };
}

/** An upstream whose data are expensive when multiplied: malformed dates, long texts and long lists. */
export function startRichUpstream() {
  return startUpstream((req, res) => {
    const path = req.url ?? '';
    if (path === '/v1/health')
      return sendJson(res, { text: oneMegabyte, numbers: Array.from({ length: 200_000 }, () => 1) });
    if (!path.startsWith('/v1/site/')) return sendJson(res, conversationFor(path));
    sendJson(res, {
      id: siteFromPath(path).id,
      address1: '1 Long Street',
      address2: null,
      city: 'Bend',
      state: 'OR',
      zip: '97701',
      createdAt: 'yesterday',
      updatedAt: '2026-13-01T00:00:00Z',
      cppExpDate: '03/02/2026',
      clients: path.includes('SITE-20000') ? manyClients : [{ id: 'c', name: 'Jane Doe' }],
      projects: [project, project, project, project],
    });
  });
}
