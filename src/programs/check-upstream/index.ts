import { type Command, json } from '../../command/command.ts';

const SITE_ID = /^\w{1,32}-\P{Cc}{0,167}$/u;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** `portico check-upstream`: the REST API against its document. */
export const checkUpstream: Command = {
  name: 'check-upstream',
  summary: 'compare the REST API with its document and exit',
  usage: 'check-upstream [OPTION...]',
  about: `Compares the REST API with its document by about ten GETs, with the key in PORTICO_API_KEY: which
rules hold, what the gateway does if one does not, and settings that help. Exits with 1 if a rule of
level MUST does not hold, nothing can be read, or a setting is missing or invalid, and with 2 if an
argument is invalid.`,
  options: {
    site: {
      help: 'a site that the key can read',
      value: { name: 'ID', requires: 'a site id', accepts: (text) => SITE_ID.test(text) },
    },
    conversation: {
      help: 'a conversation that the key can read',
      value: { name: 'ID', requires: 'a UUID', accepts: (text) => UUID.test(text) },
    },
    json: json('{ "fatal": null, "rules": [...], ... }'),
  },
  async run({ options }, composition) {
    const { checkUpstream } = await import('./check-upstream.ts');
    const ids = { site: options.get('site') ?? '', conversation: options.get('conversation') ?? '' };
    return checkUpstream(ids, options.has('json'), composition);
  },
};
