import { useStore } from '../store.ts';
import { type ExplainMode, explainMode, explainModes } from './mode.ts';

const names: Record<ExplainMode, string> = { off: 'Off', plan: 'Plan', report: 'Report' };

/** Names the header behind each choice, so that a caller can send it too. */
const descriptions: Record<ExplainMode, React.ReactNode> = {
  off: 'Operations are sent without x-explain.',
  plan: (
    <>
      <code>x-explain: plan</code> while you type: the calls that the operation would make.
    </>
  ),
  report: (
    <>
      <code>x-explain: plan</code> while you type, and <code>x-explain: report</code> with each run.
    </>
  ),
};

/** Chooses what the panel requests from the gateway. */
export function ModeSwitch() {
  const mode = useStore(explainMode);
  return (
    <>
      <fieldset className="portico-switch">
        <legend className="portico-hidden">Explain</legend>
        {explainModes.map((choice) => (
          <label key={choice}>
            <input
              type="radio"
              name="explain"
              value={choice}
              checked={choice === mode}
              onChange={() => explainMode.set(choice)}
            />
            <span>{names[choice]}</span>
          </label>
        ))}
      </fieldset>
      <p className="portico-note">{descriptions[mode]}</p>
    </>
  );
}
