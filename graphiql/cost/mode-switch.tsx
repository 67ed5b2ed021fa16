import { createSessionStore, useStore } from '../store.ts';

/** `on`: the page requests the plan while an operation is typed, and the report of each run. */
export const isExplained = createSessionStore('explain', 'on');

/** Chooses whether the page sends `x-explain`. */
export function ModeSwitch() {
  const isOn = useStore(isExplained) === 'on';
  return (
    <label title="x-explain: plan while you type, and x-explain: report with each run">
      <input type="checkbox" checked={isOn} onChange={() => isExplained.set(isOn ? 'off' : 'on')} /> Explain
    </label>
  );
}
