import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { usePermissions } from '../../../api/permissions.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { Button } from '../../../ui/button.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Section } from '../../../ui/page.tsx';
import { Select } from '../../../ui/select.tsx';
import { ModelsFrame } from '../models-frame.tsx';
import { UploadForm } from './upload-form.tsx';

const labels = modelsTexts.import;

/** Imports models from files. */
export function ImportPage() {
  const isAllowed = usePermissions();
  return (
    <ModelsFrame>
      {isAllowed('models:write') ? (
        <Section title={labels.uploadTitle} description={labels.uploadHint}>
          <UploadForm />
        </Section>
      ) : (
        <Notice>{modelsTexts.readOnly}</Notice>
      )}
      <Section title={labels.pathTitle} description={labels.pathHint}>
        {isAllowed('admin') ? <PathForm /> : <Notice>{labels.adminOnly}</Notice>}
      </Section>
    </ModelsFrame>
  );
}

function PathForm() {
  const queries = useQueryClient();
  const [path, setPath] = useState('');
  const [method, setMethod] = useState<keyof typeof labels.methods>('copy');
  const { mutate, isPending, data } = useMutation({
    mutationFn: () => call('post', '/api/v1/models/import', { body: { path, method } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['models'] }),
  });
  return (
    <form
      className="flex flex-col gap-4 rounded-2xl border bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <Field label={labels.path}>
        {(attributes) => (
          <input
            {...attributes}
            spellCheck={false}
            className={inputClass}
            placeholder="/data/models"
            value={path}
            onChange={(event) => setPath(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Select
          label={labels.method}
          value={method}
          options={labels.methods}
          onChange={setMethod}
        />
        <Button type="submit" variant="primary" disabled={path.trim() === '' || isPending}>
          {labels.submit}
        </Button>
      </div>
      {data !== undefined && (
        <div role="status" className="flex flex-col gap-2">
          <Notice>
            {data.models.length === 0
              ? labels.none
              : labels.imported({ models: data.models.join(', ') })}
          </Notice>
          {data.skipped.length > 0 && (
            <Notice tone="warn" title={labels.skipped}>
              <ul>
                {data.skipped.map(({ name, message }) => (
                  <li key={name}>{`${name}: ${message}`}</li>
                ))}
              </ul>
            </Notice>
          )}
        </div>
      )}
    </form>
  );
}
