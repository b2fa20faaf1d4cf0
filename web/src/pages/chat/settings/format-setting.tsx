import { useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { Field, inputClass } from '../../../ui/field.tsx';
import type { ConversationSettings } from './conversation-settings.ts';

const labels = texts.settings;

type Format = keyof typeof labels.formats;

/** Chooses the format of answers: text, JSON, or JSON with a schema. */
export function FormatSetting({
  settings,
  onChange,
}: {
  readonly settings: ConversationSettings;
  readonly onChange: (settings: ConversationSettings) => void;
}) {
  const { responseFormat } = settings;
  const format = responseFormat?.type ?? 'text';
  const choose = (chosen: Format) =>
    onChange({
      ...settings,
      responseFormat:
        chosen === 'text'
          ? undefined
          : chosen === 'json_object'
            ? { type: chosen }
            : { type: chosen, schema: exampleSchema },
    });
  return (
    <div className="flex flex-col gap-3">
      <Field label={labels.format}>
        {(attributes) => (
          <select
            {...attributes}
            className={inputClass}
            value={format}
            onChange={(event) => choose(event.target.value as Format)}
          >
            {Object.entries(labels.formats).map(([name, shown]) => (
              <option key={name} value={name}>
                {shown}
              </option>
            ))}
          </select>
        )}
      </Field>
      {responseFormat?.type === 'json_schema' && (
        <SchemaField
          schema={responseFormat.schema}
          onChange={(schema) =>
            onChange({ ...settings, responseFormat: { type: 'json_schema', schema } })
          }
        />
      )}
    </div>
  );
}

/** Initial schema, as an example. */
const exampleSchema = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
};

function SchemaField({
  schema,
  onChange,
}: {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly onChange: (schema: Record<string, unknown>) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(schema, null, 2));
  const isValid = parseObject(text) !== undefined;
  return (
    <Field label={labels.schema} error={isValid ? undefined : labels.wrongSchema}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={8}
          spellCheck={false}
          className={`${inputClass} font-mono`}
          value={text}
          onChange={({ target: { value } }) => {
            setText(value);
            const parsed = parseObject(value);
            if (parsed !== undefined) onChange(parsed);
          }}
        />
      )}
    </Field>
  );
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
