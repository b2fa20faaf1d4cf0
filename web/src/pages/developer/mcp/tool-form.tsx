import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Button } from '../../../ui/button.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { messageOf } from '../../../ui/toasts.ts';
import { fieldsOf, toArguments, type SchemaField } from './schema-form.ts';
import type { McpTool } from './mcp-tool.ts';
import { ToolResult } from './tool-result.tsx';

const labels = developerTexts.mcp;

/** A form derived from the schema of a tool. Submitting it calls the tool and shows the result. */
export function ToolForm({ label, tool }: { readonly label: string; readonly tool: McpTool }) {
  const fields = useMemo(() => fieldsOf(tool.parameters), [tool]);
  const [entered, setEntered] = useState<ReadonlyMap<string, string>>(new Map());
  const [isChecked, setChecked] = useState(false);
  const { values, errors } = toArguments(fields, entered);
  const run = useMutation({
    mutationFn: () =>
      call('post', '/api/v1/mcp/servers/{label}/tools/{tool}', {
        params: { label, tool: tool.name },
        body: { arguments: values },
      }),
    meta: { showsError: true },
  });
  return (
    <form
      noValidate
      aria-label={labels.tryTool({ name: tool.name })}
      className="mt-3 flex flex-col gap-3 rounded-xl bg-panel p-4"
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        if (Object.keys(errors).length === 0) run.mutate();
      }}
    >
      {fields.length === 0 && <p className="text-sm text-muted">{labels.noArguments}</p>}
      {fields.map((field) => (
        <ToolField
          key={field.name}
          field={field}
          error={isChecked ? errors[field.name] : undefined}
          text={entered.get(field.name) ?? field.initial}
          onChange={(text) => setEntered(new Map(entered).set(field.name, text))}
        />
      ))}
      <Button type="submit" variant="primary" className="self-start" disabled={run.isPending}>
        {labels.call}
      </Button>
      {run.error !== null && <Notice tone="danger">{messageOf(run.error)}</Notice>}
      {run.data !== undefined && <ToolResult result={run.data} />}
    </form>
  );
}

function ToolField({
  field,
  error,
  text,
  onChange,
}: {
  readonly field: SchemaField;
  readonly error: string | undefined;
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const { kind, title, description, isRequired, choices } = field;
  const options = kind === 'boolean' ? ['true', 'false'] : choices;
  return (
    <Field
      label={isRequired ? title : `${title} (${labels.optional})`}
      hint={[kind === 'json' ? labels.json : '', description].filter(Boolean).join('. ')}
      error={error}
    >
      {(attributes) => {
        const common = {
          ...attributes,
          className: inputClass,
          value: text,
          onChange: (event: { readonly target: { readonly value: string } }) =>
            onChange(event.target.value),
        };
        if (kind === 'boolean' || kind === 'choice') {
          return (
            <select {...common}>
              <option value="">{labels.unset}</option>
              {options.map((choice) => (
                <option key={choice} value={choice}>
                  {choice.replaceAll(/^"|"$/g, '')}
                </option>
              ))}
            </select>
          );
        }
        if (kind === 'json') {
          return <textarea {...common} rows={3} spellCheck={false} placeholder="{}" />;
        }
        const isNumber = kind === 'number' || kind === 'integer';
        return <input {...common} {...(isNumber ? { inputMode: 'decimal' } : {})} />;
      }}
    </Field>
  );
}
