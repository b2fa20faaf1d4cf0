import { developerTexts } from '../../../texts/developer.ts';
import { Field, inputClass } from '../../../ui/field.tsx';

const labels = developerTexts.tokens;

/** The typed texts; an empty one bounds nothing. */
export interface BoundTexts {
  readonly requestsPerDay: string;
  readonly tokensPerDay: string;
  readonly models: string;
}

export const noBounds: BoundTexts = { requestsPerDay: '', tokensPerDay: '', models: '' };

/** The fields of a request for what was typed. */
export function toBounds({ requestsPerDay, tokensPerDay, models }: BoundTexts) {
  const patterns = models
    .split(',')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
  return {
    requests_per_day: requestsPerDay === '' ? null : Number(requestsPerDay),
    tokens_per_day: tokensPerDay === '' ? null : Number(tokensPerDay),
    models: patterns.length === 0 ? null : patterns,
  };
}

/** How much a token may use in a day, and of which models. */
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
              max={1_000_000_000}
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
    </>
  );
}
