import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { messageOf, showToast } from '../../../ui/toasts.ts';
import { serverFormErrors, toServerRequest, type ServerForm } from './server-form.ts';

const labels = developerTexts.mcp;

/** Adds or changes an entry of mcp.json. */
export function ServerDialog({
  form,
  onClose,
}: {
  readonly form: ServerForm | undefined;
  readonly onClose: () => void;
}) {
  const isNew = form?.label === '';
  return (
    <Dialog
      isOpen={form !== undefined}
      onClose={onClose}
      title={isNew ? labels.add : labels.editServer({ label: form?.label ?? '' })}
    >
      {form !== undefined && <EntryForm initial={form} isNew={isNew} onClose={onClose} />}
    </Dialog>
  );
}

function EntryForm({
  initial,
  isNew,
  onClose,
}: {
  readonly initial: ServerForm;
  readonly isNew: boolean;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const [form, setForm] = useState(initial);
  const [isChecked, setChecked] = useState(false);
  const errors = serverFormErrors(form);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      call('put', '/api/v1/mcp/servers/{label}', {
        params: { label: form.label },
        body: toServerRequest(form),
      }),
    onSuccess: ({ label }) => {
      showToast(labels.saved({ label }));
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['mcp-servers'] }),
    meta: { showsError: true },
  });
  const text = (
    name: keyof ServerForm,
    label: string,
    { hint, isLong = false }: { hint?: string; isLong?: boolean } = {},
  ) => (
    <Field label={label} hint={hint} error={isChecked ? errors[name] : undefined}>
      {(attributes) => {
        const common = {
          ...attributes,
          className: `${inputClass} font-mono !text-[13px]`,
          spellCheck: false,
          autoComplete: 'off',
          value: form[name],
          onChange: (event: { readonly target: { readonly value: string } }) =>
            setForm({ ...form, [name]: event.target.value }),
        };
        return isLong ? (
          <textarea {...common} rows={3} />
        ) : (
          <input {...common} disabled={name === 'label' && !isNew} />
        );
      }}
    </Field>
  );
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        if (Object.keys(errors).length === 0) mutate();
      }}
    >
      {text('label', labels.label, { hint: labels.labelHint })}
      <Field label={labels.kind}>
        {(attributes) => (
          <select
            {...attributes}
            className={inputClass}
            value={form.kind}
            onChange={(event) =>
              setForm({ ...form, kind: event.target.value as ServerForm['kind'] })
            }
          >
            {Object.entries(labels.kinds).map(([value, shown]) => (
              <option key={value} value={value}>
                {shown}
              </option>
            ))}
          </select>
        )}
      </Field>
      {form.kind === 'process' ? (
        <>
          {text('command', labels.command)}
          {text('args', labels.args, { hint: labels.argsHint, isLong: true })}
          {text('env', labels.env, { hint: labels.pairsHint, isLong: true })}
          {text('cwd', labels.cwd)}
        </>
      ) : (
        <>
          {text('url', labels.url)}
          {text('headers', labels.headers, { hint: labels.pairsHint, isLong: true })}
        </>
      )}
      {error !== null && <Notice tone="danger">{messageOf(error)}</Notice>}
      <Button type="submit" variant="primary" className="self-end" disabled={isPending}>
        {texts.app.save}
      </Button>
    </form>
  );
}
