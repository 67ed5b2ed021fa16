/** Opens the reader's mail program. */
export function MailLink({ address }: { address: string }) {
  return <a href={`mailto:${encodeURIComponent(address).replace('%40', '@')}`}>{address}</a>;
}

/** Calls the number. Its format is not specified, so that only its digits are dialled. */
export function PhoneLink({ number, ext }: { number: string; ext?: number | null }) {
  const digits = number.replace(/[^\d+]/g, '');
  const label = ext == null ? number : `${number} ext. ${ext}`;
  return digits === '' ? label : <a href={`tel:${digits}${ext == null ? '' : `,${ext}`}`}>{label}</a>;
}
