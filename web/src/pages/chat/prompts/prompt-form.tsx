import { useState } from 'react';
import { texts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { fillPrompt, variablesOf } from './fill-prompt.ts';

/** Asks for the variables of a prompt and inserts it. */
export function PromptForm({
  text,
  onClose,
  onInsert,
}: {
  readonly text: string;
  readonly onClose: () => void;
  readonly onInsert: (text: string) => void;
}) {
  const variables = variablesOf(text);
  const [values, setValues] = useState<ReadonlyMap<string, string>>(
    () => new Map(variables.map(({ name, value }) => [name, value])),
  );
  const insert = () => {
    onClose();
    onInsert(fillPrompt(text, values));
  };
  return (
    <Dialog isOpen onClose={onClose} title={texts.prompts.fill}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          // Otherwise the event would also submit the form of the message.
          event.stopPropagation();
          insert();
        }}
      >
        {variables.map(({ name }) => (
          <Field key={name} label={name}>
            {(attributes) => (
              <textarea
                {...attributes}
                rows={1}
                className={`${inputClass} field-sizing-content max-h-60`}
                value={values.get(name)}
                onChange={(event) => setValues(new Map(values).set(name, event.target.value))}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing)
                    return;
                  event.preventDefault();
                  event.currentTarget.form?.requestSubmit();
                }}
              />
            )}
          </Field>
        ))}
        <div className="flex justify-end">
          <Button type="submit" variant="primary">
            {texts.prompts.insert}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
