import { useQuery } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { toRecordName } from '../../../api/record-name.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { showError, showToast } from '../../../ui/toasts.ts';
import {
  promptsQuery,
  useDeletePrompt,
  useSavePrompts,
  type StoredPrompt,
} from './prompt-queries.ts';
import { readPromptFile } from './read-prompt-file.ts';

const labels = texts.prompts;

/** Adds, changes, deletes, exports and imports prompts. */
export function PromptManager({ onClose }: { readonly onClose: () => void }) {
  const query = useQuery(promptsQuery);
  const [edited, setEdited] = useState<StoredPrompt | 'new'>();
  return (
    <Dialog isOpen onClose={onClose} title={labels.title} className="max-w-xl">
      {edited === undefined ? (
        <QueryView query={query}>
          {(prompts) => (
            <div className="flex flex-col gap-3">
              {prompts.length === 0 && <p className="text-sm text-muted">{labels.none}</p>}
              <PromptRows prompts={prompts} onEdit={setEdited} />
              <div className="flex flex-wrap gap-2">
                <Button variant="primary" onClick={() => setEdited('new')}>
                  {labels.add}
                </Button>
                <ImportButton />
                {prompts.length > 0 && (
                  <Button onClick={() => exportPrompts(prompts)}>{labels.export}</Button>
                )}
              </div>
            </div>
          )}
        </QueryView>
      ) : (
        <EditPrompt
          prompt={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Dialog>
  );
}

function exportPrompts(prompts: readonly StoredPrompt[]): void {
  const content = { prompts: prompts.map(({ name, text }) => ({ name, text })) };
  saveFile('hearth-prompts.json', JSON.stringify(content, null, 2), 'application/json');
}

function PromptRows({
  prompts,
  onEdit,
}: {
  readonly prompts: readonly StoredPrompt[];
  readonly onEdit: (prompt: StoredPrompt) => void;
}) {
  const remove = useDeletePrompt();
  return (
    <ul className="flex flex-col">
      {prompts.map((prompt) => (
        <li key={prompt.name} className="flex items-center gap-2 border-b py-1.5 text-sm">
          <span dir="auto" className="max-w-[40%] shrink-0 truncate font-medium">
            {prompt.name}
          </span>
          <span dir="auto" className="min-w-0 flex-1 truncate [text-align:match-parent] text-muted">
            {prompt.text.slice(0, 200)}
          </span>
          <IconButton
            icon={Pencil}
            label={labels.edit({ name: prompt.name })}
            onClick={() => onEdit(prompt)}
          />
          <IconButton
            icon={Trash2}
            label={labels.delete({ name: prompt.name })}
            onClick={() => remove.mutate(prompt.name)}
          />
        </li>
      ))}
    </ul>
  );
}

function ImportButton() {
  const input = useRef<HTMLInputElement>(null);
  const save = useSavePrompts();
  const read = async (file: File) => {
    const prompts = readPromptFile(await file.text());
    if (prompts === undefined) throw new Error(labels.wrongFile);
    await save.mutateAsync(prompts);
    showToast(labels.imported({ prompts: prompts.length }));
  };
  return (
    <>
      <Button onClick={() => input.current?.click()}>{labels.import}</Button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label={labels.import}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) read(file).catch(showError);
          target.value = '';
        }}
      />
    </>
  );
}

function EditPrompt({
  prompt,
  onClose,
}: {
  readonly prompt: StoredPrompt | undefined;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(prompt?.name ?? '');
  const [text, setText] = useState(prompt?.text ?? '');
  const save = useSavePrompts();
  const remove = useDeletePrompt();
  const submit = async () => {
    const next = toRecordName(name);
    const isRenamed = prompt !== undefined && prompt.name !== next;
    const revision = prompt === undefined || isRenamed ? 0 : prompt.revision;
    await save.mutateAsync([{ name: next, text, revision }]);
    if (isRenamed) await remove.mutateAsync(prompt.name);
    onClose();
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        // The mutation reports its own errors.
        submit().catch(() => {});
      }}
    >
      <Field label={labels.name}>
        {(attributes) => (
          <input
            {...attributes}
            required
            maxLength={80}
            className={inputClass}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field
        label={labels.text}
        hint={labels.textHint({ plain: '{{name}}', withDefault: '{{name=value}}' })}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            required
            rows={8}
            maxLength={60_000}
            className={inputClass}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{texts.app.cancel}</Button>
        <Button type="submit" variant="primary" disabled={toRecordName(name) === '' || text === ''}>
          {texts.app.save}
        </Button>
      </div>
    </form>
  );
}
