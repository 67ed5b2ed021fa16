/** Returns whether the text was copied: browsers permit it only to pages from the local machine or over TLS. */
export async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
