/** The prefix of site ids, which is the gateway's setting of the same name. It is read when the page is built. */
export const sitePrefix: string = import.meta.env.SITE_ID_PREFIX || 'SITE';
