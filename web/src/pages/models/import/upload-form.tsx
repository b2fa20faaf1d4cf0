import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { toUrl } from '../../../api/to-url.ts';
import { upload } from '../../../api/upload.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { showError } from '../../../ui/toasts.ts';
import { repositoryOf } from './file-keys.ts';

const labels = modelsTexts.import;

interface Uploaded {
  readonly model: string | null;
  readonly file: string;
}

/** Uploads a GGUF file from this computer to the server's library. */
export function UploadForm() {
  const queries = useQueryClient();
  const [file, setFile] = useState<File>();
  const [publisher, setPublisher] = useState('local');
  const [repository, setRepository] = useState('');
  const [sentBytes, setSentBytes] = useState(0);
  const running = useRef<AbortController>(undefined);
  const { mutate, isPending, data } = useMutation({
    mutationFn: async (chosen: File) => {
      running.current = new AbortController();
      const params = { publisher, repository, file: chosen.name };
      const url = toUrl('/api/v1/models/files/{publisher}/{repository}/{file}', { params });
      const { signal } = running.current;
      return upload(url, chosen, { signal, onProgress: setSentBytes }) as Promise<Uploaded>;
    },
    meta: { showsError: true },
    onError: (error) => {
      if (running.current?.signal.aborted !== true) showError(error);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['models'] }),
  });
  const choose = (chosen: File | undefined) => {
    setFile(chosen);
    setSentBytes(0);
    if (chosen !== undefined) setRepository(repositoryOf(chosen.name));
  };
  const text = (label: string, value: string, onChange: (value: string) => void) => (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          spellCheck={false}
          maxLength={128}
          className={inputClass}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
  return (
    <form
      className="flex flex-col gap-4 rounded-2xl border bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (file !== undefined) mutate(file);
      }}
    >
      <Field label={labels.choose}>
        {(attributes) => (
          <input
            {...attributes}
            type="file"
            accept=".gguf"
            className={`${inputClass} file:me-3 file:rounded-md file:border-0 file:bg-hover file:px-2 file:py-1 file:text-text`}
            onChange={(event) => choose(event.target.files?.[0])}
          />
        )}
      </Field>
      {file !== undefined && (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            {text(labels.publisher, publisher, setPublisher)}
            {text(labels.repository, repository, setRepository)}
          </div>
          {isPending && (
            <ProgressBar
              label={labels.uploading({ name: file.name })}
              fraction={sentBytes / file.size}
            />
          )}
          <div className="flex gap-2">
            <Button
              type="submit"
              variant="primary"
              disabled={isPending || publisher === '' || repository === ''}
            >
              {labels.upload}
            </Button>
            {isPending && (
              <Button onClick={() => running.current?.abort()}>{texts.app.cancel}</Button>
            )}
          </div>
        </>
      )}
      {data !== undefined && (
        <div role="status">
          <Notice>
            {data.model === null
              ? labels.uploadedPart({ file: data.file })
              : labels.uploaded({ model: data.model })}
          </Notice>
        </div>
      )}
    </form>
  );
}
