/** The keys that this page adds to those of GraphiQL, by what they do, as its list of keys writes them. */
export const pageKeys: Readonly<Record<string, string>> = {
  'Leave the editor for its frame; in the editor, first close a list of suggestions, a search or a hover':
    'Escape',
  'Enter the editor whose frame has the focus': 'Enter',
  'Close the box of “Share”, “Copy as” or “Rename tab”': 'Escape',
};
