import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { modelName } from '../../../api/model-name.ts';
import { modelsQuery } from '../../../api/queries.ts';
import { projectsTexts } from '../../../texts/projects.ts';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { showError } from '../../../ui/toasts.ts';
import { chatModels } from '../model/model-queries.ts';
import { presetsQuery } from '../settings/preset-queries.ts';
import { refreshProjects, type Project } from './project-queries.ts';

/** Changes the name, the instructions, the model and the preset of a project. */
export function ProjectForm({ project }: { readonly project: Project }) {
  const { name, instructions, model, preset, revision } = project;
  const [draft, setDraft] = useState({ name, instructions, model, preset });
  const { data: models } = useQuery(modelsQuery);
  const { data: presets = [] } = useQuery(presetsQuery);
  const isChanged =
    draft.name !== name ||
    draft.instructions !== instructions ||
    draft.model !== model ||
    draft.preset !== preset;
  const save = async () => {
    const params = { project_id: project.project_id };
    try {
      await call('patch', '/api/v1/projects/{project_id}', {
        params,
        body: { ...draft, name: draft.name.trim(), revision },
      });
    } finally {
      await refreshProjects();
    }
  };
  const modelChoices = chatModels(models?.models ?? []).map((each) => ({
    value: each.key,
    label: modelName(each),
  }));
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        save().catch(showError);
      }}
    >
      <Field label={texts.chat.projects.name}>
        {(attributes) => (
          <input
            {...attributes}
            dir="auto"
            className={inputClass}
            maxLength={80}
            value={draft.name}
            onChange={(event) => setDraft({ ...draft, name: event.target.value })}
          />
        )}
      </Field>
      <Field label={projectsTexts.instructions} hint={projectsTexts.instructionsHint}>
        {(attributes) => (
          <textarea
            {...attributes}
            dir="auto"
            rows={4}
            className={inputClass}
            maxLength={64_000}
            value={draft.instructions}
            onChange={(event) => setDraft({ ...draft, instructions: event.target.value })}
          />
        )}
      </Field>
      <div className="grid gap-3 sm:grid-cols-2">
        <Choice
          label={projectsTexts.model}
          value={draft.model}
          choices={modelChoices}
          onChange={(chosen) => setDraft({ ...draft, model: chosen })}
        />
        <Choice
          label={projectsTexts.preset}
          value={draft.preset}
          choices={presets.map((each) => ({ value: each.name, label: each.name }))}
          onChange={(chosen) => setDraft({ ...draft, preset: chosen })}
        />
      </div>
      <Button type="submit" className="self-end" disabled={!isChanged || draft.name.trim() === ''}>
        {texts.app.save}
      </Button>
    </form>
  );
}

/** A select that may be empty, and keeps a value that is no longer offered. */
function Choice({
  label,
  value,
  choices,
  onChange,
}: {
  readonly label: string;
  readonly value: string | null;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string | null) => void;
}) {
  const isOffered = value === null || choices.some((each) => each.value === value);
  return (
    <Field label={label}>
      {(attributes) => (
        <select
          {...attributes}
          className={inputClass}
          value={value ?? ''}
          onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
        >
          <option value="">{projectsTexts.noChoice}</option>
          {!isOffered && <option value={value}>{value}</option>}
          {choices.map((each) => (
            <option key={each.value} value={each.value}>
              {each.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
