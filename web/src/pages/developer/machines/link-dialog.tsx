import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { messageOf, showToast } from '../../../ui/toasts.ts';
import { defaultPort, refreshMachines } from './machines-query.ts';

const labels = developerTexts.machines;

interface DialogState {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Links a machine that has created a code. */
export function LinkDialog({ isOpen, onClose }: DialogState) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={labels.link} description={labels.linkHint}>
      {isOpen && <LinkForm onClose={onClose} />}
    </Dialog>
  );
}

function LinkForm({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [form, setForm] = useState({ host: '', port: String(defaultPort), code: '', name: '' });
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      call('post', '/api/v1/links', {
        body: {
          host: form.host.trim(),
          port: Number(form.port),
          code: form.code,
          ...(form.name !== '' && { name: form.name }),
        },
      }),
    onSuccess: async ({ name }) => {
      showToast(labels.linked({ name }));
      onClose();
      await refreshMachines(queries);
    },
    meta: { showsError: true },
  });
  const text = (
    name: keyof typeof form,
    label: string,
    { hint, isCode = false }: { readonly hint?: string; readonly isCode?: boolean } = {},
  ) => (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <input
          {...attributes}
          className={isCode ? `${inputClass} font-mono` : inputClass}
          autoComplete="off"
          spellCheck={false}
          inputMode={name === 'port' ? 'numeric' : 'text'}
          value={form[name]}
          onChange={(event) => setForm({ ...form, [name]: event.target.value })}
        />
      )}
    </Field>
  );
  const isComplete = form.host.trim() !== '' && form.code.trim() !== '' && /^\d+$/.test(form.port);
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete) mutate();
      }}
    >
      {text('host', labels.host, { hint: labels.hostHint })}
      {text('port', labels.port)}
      {text('code', labels.code, { hint: labels.codeHint, isCode: true })}
      {text('name', labels.name, { hint: labels.nameHint })}
      {error !== null && <Notice tone="danger">{messageOf(error)}</Notice>}
      <Button
        type="submit"
        variant="primary"
        className="self-end"
        disabled={!isComplete || isPending}
      >
        {isPending ? labels.linking : labels.linkAction}
      </Button>
    </form>
  );
}
