/** The values in the operations of examples. */
export interface Example {
  /** The demo key; `''` where there is none. */
  apiKey: string;
  siteId: string;
  conversationId: string;
}
