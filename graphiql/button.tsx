/** A button in the style of the page. */
export function Button(props: React.ComponentProps<'button'>) {
  return <button type="button" className="portico-button" {...props} />;
}
