import type { Explanation } from './errors.ts';

const DEFAULT_PORT = '5432';

/** The cause and remedy for an error on opening this database. Codes: Node's, and PostgreSQL's appendix A. */
export function explainPostgres(databaseUrl: string, code: string, message: string): Explanation {
  const place = placeFrom(databaseUrl);
  if (place === null || code === 'ERR_INVALID_URL') {
    return ['it is not a URL', 'set postgres://USER:PASSWORD@HOST:PORT/DATABASE, percent-encoded'];
  }
  const { server, name } = place;
  if (code === 'ECONNREFUSED' || (code === 'ENOENT' && message.startsWith('connect '))) {
    return [
      `${server} refuses the connection (${code})`,
      'start Postgres there, or correct the host and the port',
    ];
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return [`the host of ${server} cannot be resolved (${code})`, 'correct the host, or check DNS'];
  }
  if (/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(code) || /time ?out/.test(code ? '' : message)) {
    return [`${server} does not answer`, 'check the host, the port and the network'];
  }
  if (code === '28P01' || code === '28000') {
    return [`${server} rejects the user or the password`, 'correct them, or allow the user in pg_hba.conf'];
  }
  if (code === '3D000') {
    return [`${server} answers that the database ${name} does not exist`, 'create it, or correct the name'];
  }
  if (code === '42501') {
    return [`${server}/${name}: ${message}`, 'grant its user that right, or set another user'];
  }
  if (code === '53300') {
    return [`${server} has no connection left`, 'raise its max_connections, or close others'];
  }
  if (code === '57P03') return [`${server} does not accept connections yet`, 'try again when it has started'];
  if (code === '55P03') {
    return [`another process holds the lock of ${server}/${name}`, 'try again when it is done'];
  }
  return [`${server}/${name}: ${message}`, 'check the URL, and the log of Postgres'];
}

/** The server and database of the URL, without credentials; null if it is not a URL. */
function placeFrom(databaseUrl: string): { server: string; name: string } | null {
  // `postgres://USER:PASSWORD@/DATABASE` is valid for Postgres, and not for `URL`.
  const text = databaseUrl.replace(/^(postgres(?:ql)?:\/\/)[^/?#]*@(?=[/?#]|$)/, '$1');
  if (!URL.canParse(text)) return null;
  const { hostname, port, pathname, search, hash, searchParams } = new URL(text);
  // After an unencoded `/`, `?` or `#`, this may be the rest of a password.
  if (`${pathname}${search}${hash}`.includes('@')) return { server: 'Postgres', name: 'of that name' };
  const host = searchParams.get('host') || hostname || 'localhost';
  const number = searchParams.get('port') || port || DEFAULT_PORT;
  return { server: `Postgres at ${host}:${number}`, name: pathname.slice(1) || 'of its user' };
}
