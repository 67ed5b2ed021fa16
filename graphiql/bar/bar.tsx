import { KeyField } from './key-field.tsx';
import { SchemaButton } from './schema-button.tsx';

/** Above the editors: what belongs to every operation. */
export function Bar() {
  return (
    <header className="portico-header">
      <h1>
        <img src={logo()} width="28" height="28" alt="" />
        Portico <span>GraphiQL</span>
      </h1>
      <KeyField />
      <SchemaButton />
    </header>
  );
}

/** The icon of the page. */
function logo(): string {
  return document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href ?? '';
}
