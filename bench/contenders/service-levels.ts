/** The enum values, and what the REST API calls them. */
export const serviceLevels = {
  SIGNATURE: 'Signature',
  PRIORITY: 'Priority',
  ESSENTIALS_PLUS: 'Essentials Plus',
  LEGACY: 'Legacy',
};
