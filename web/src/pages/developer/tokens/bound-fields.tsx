import { developerTexts } from '../../../texts/developer.ts';
import { Field, inputClass } from '../../../ui/field.tsx';
import type { BoundTexts } from './bounds.ts';

const labels = developerTexts.tokens;
const maxima = { requestsPerDay: 1e9, tokensPerDay: 1e12 };

/** Fields for a token's limits per day, its models and its priority. */
export function BoundFields({
  bounds,
  onChange,
}: {
  readonly bounds: BoundTexts;
  readonly onChange: (bounds: BoundTexts) => void;
}) {
  return (
    <>
      {(['requestsPerDay', 'tokensPerDay'] as const).map((name) => (
        <Field key={name} label={labels[name]} hint={labels.limitHint}>
          {(attributes) => (
            <input
              {...attributes}
              type="number"
              min={1}
              max={maxima[name]}
              step={1}
              className={inputClass}
              value={bounds[name]}
              onChange={(event) => onChange({ ...bounds, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
      <Field label={labels.models} hint={labels.modelsHint}>
        {(attributes) => (
          <input
            {...attributes}
            dir="ltr"
            className={inputClass}
            value={bounds.models}
            onChange={(event) => onChange({ ...bounds, models: event.target.value })}
          />
        )}
      </Field>
      <Field label={labels.priority} hint={labels.priorityHint}>
        {(attributes) => (
          <select
            {...attributes}
            className={inputClass}
            value={bounds.priority}
            onChange={(event) =>
              onChange({ ...bounds, priority: event.target.value as BoundTexts['priority'] })
            }
          >
            {Object.entries(labels.priorities).map(([name, shown]) => (
              <option key={name} value={name}>
                {shown}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}
