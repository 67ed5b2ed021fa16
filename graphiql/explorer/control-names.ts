/** The controls of the explorer, and the name of each, which the explorer gives to none. */
const names: [selector: string, name: (control: Element) => string][] = [
  ['[data-field-name] > .portico-tick, [data-field-name] > span > .portico-tick', fieldOf],
  ['[data-arg-name] > span > .portico-tick', (control) => `Argument ${argumentOf(control)}`],
  ['[data-arg-name] :is(input, select)', (control) => `Value of ${argumentOf(control)}`],
  ['[data-arg-name] button', (control) => `Variable for ${argumentOf(control)}`],
  ['[data-field-name] button', (control) => `Fragment of ${fieldOf(control)}`],
  ['.graphiql-operation-title-bar input', () => 'Name of the operation'],
  ['.graphiql-operation-title-bar > button:first-of-type', () => 'Delete the operation'],
  ['.graphiql-operation-title-bar > button:last-of-type', () => 'Copy the operation'],
  ['.graphiql-explorer-actions select', () => 'Kind of the new operation'],
  ['.graphiql-explorer-actions button', () => 'Add an operation'],
];

/** Names the controls in `panel` for assistive technology. */
export function nameControls(panel: Element): void {
  for (const [selector, nameOf] of names) {
    for (const control of panel.querySelectorAll(selector))
      control.setAttribute('aria-label', nameOf(control));
  }
  for (const operation of panel.querySelectorAll('[id][tabindex="0"]:has(> .graphiql-operation-title-bar)')) {
    operation.setAttribute('role', 'group');
    operation.setAttribute('aria-label', operation.id.replace('-', ' '));
  }
  // A fragment of the operation, whose name is beside its tick.
  for (const fragment of panel.querySelectorAll('.portico-tick:not([aria-label])')) {
    fragment.setAttribute('aria-label', fragment.parentElement?.textContent?.trim() ?? '');
  }
}

function fieldOf(control: Element): string {
  return control.closest('[data-field-name]')?.getAttribute('data-field-name') ?? '';
}

function argumentOf(control: Element): string {
  return control.closest('[data-arg-name]')?.getAttribute('data-arg-name') ?? '';
}
