/** The values of the enum and what the REST API writes for them. */
export const siteLevels = {
  SIGNATURE: 'Signature',
  PRIORITY: 'Priority',
  ESSENTIALS_PLUS: 'Essentials Plus',
  LEGACY: 'Legacy',
};
