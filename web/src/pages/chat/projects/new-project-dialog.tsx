import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { showError } from '../../../ui/toasts.ts';
import { createProject } from './project-queries.ts';

/** Asks for the name of a new project, and opens its page. */
export function NewProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const labels = texts.chat.projects;
  const create = async () => {
    const { project_id: projectId } = await createProject(name.trim());
    onClose();
    await navigate({ to: '/chat/projects/$projectId', params: { projectId } });
  };
  return (
    <Dialog isOpen onClose={onClose} title={labels.create}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create().catch(showError);
        }}
      >
        <Field label={labels.name}>
          {(attributes) => (
            <input
              {...attributes}
              className={inputClass}
              maxLength={80}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.app.cancel}</Button>
          <Button type="submit" variant="primary" disabled={name.trim() === ''}>
            {labels.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
