import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Permission } from '../../../../../src/kernel/permission.ts';
import { call } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/check-field.tsx';
import { CodeText } from '../../../ui/code-text.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, inputClass } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { BoundFields } from './bound-fields.tsx';
import { noBounds, toBounds, type BoundTexts } from './bounds.ts';
import { expiresAt, type Expiry } from './expiry.ts';
import { tokensQuery } from './tokens-query.ts';

const labels = developerTexts.tokens;
const explanations: Readonly<Record<Permission, string>> = developerTexts.permissions;
const permissions = Object.entries(explanations) as [Permission, string][];
const usual: readonly Permission[] = ['chat', 'embeddings', 'models:read'];

/** Creates a token and shows its secret once. */
export function CreateTokenDialog({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={labels.create}>
      {isOpen && <CreateToken onClose={onClose} />}
    </Dialog>
  );
}

function CreateToken({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [secret, setSecret] = useState<string>();
  const { mutate, isPending } = useMutation({
    mutationFn: ({ expiry, bounds, ...body }: TokenForm) => {
      const expires_at = expiresAt(expiry, Date.now());
      return call('post', '/api/v1/tokens', {
        body: { ...body, ...toBounds(bounds), ...(expires_at === undefined ? {} : { expires_at }) },
      });
    },
    onSuccess: ({ token }) => setSecret(token),
    onSettled: () => queries.invalidateQueries(tokensQuery),
    // The secret is not cached.
    gcTime: 0,
  });
  if (secret === undefined) return <TokenFields isPending={isPending} onSubmit={mutate} />;
  return (
    <div className="flex flex-col gap-3">
      <Notice title={labels.created}>{labels.createdHint}</Notice>
      <CodeText text={secret} label={labels.created} />
      <Button variant="primary" className="self-end" onClick={onClose}>
        {labels.done}
      </Button>
    </div>
  );
}

interface TokenForm {
  readonly name: string;
  readonly permissions: Permission[];
  readonly expiry: Expiry;
  readonly bounds: BoundTexts;
}

function TokenFields({
  isPending,
  onSubmit,
}: {
  readonly isPending: boolean;
  readonly onSubmit: (form: TokenForm) => void;
}) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly Permission[]>(usual);
  const [expiry, setExpiry] = useState<Expiry>('never');
  const [bounds, setBounds] = useState(noBounds);
  const isAdmin = chosen.includes('admin');
  const isValid = name.trim() !== '' && chosen.length > 0;
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid) onSubmit({ name: name.trim(), permissions: [...chosen], expiry, bounds });
      }}
    >
      <Field label={labels.name} hint={labels.nameHint}>
        {(attributes) => (
          <input
            {...attributes}
            maxLength={128}
            placeholder={labels.namePlaceholder}
            className={inputClass}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">{labels.permissions}</legend>
        {permissions.map(([permission, explanation]) => (
          <CheckField
            key={permission}
            label={permission}
            hint={explanation}
            isChecked={isAdmin || chosen.includes(permission)}
            isDisabled={isAdmin && permission !== 'admin'}
            onChange={(isChecked) =>
              setChosen(
                isChecked ? [...chosen, permission] : chosen.filter((each) => each !== permission),
              )
            }
          />
        ))}
        {chosen.length === 0 && <p className="text-xs text-danger">{labels.choosePermission}</p>}
      </fieldset>
      <Field label={labels.expires}>
        {(attributes) => (
          <select
            {...attributes}
            className={inputClass}
            value={expiry}
            onChange={(event) => setExpiry(event.target.value as Expiry)}
          >
            {Object.entries(labels.expiry).map(([value, shown]) => (
              <option key={value} value={value}>
                {shown}
              </option>
            ))}
          </select>
        )}
      </Field>
      <BoundFields bounds={bounds} onChange={setBounds} />
      <Button type="submit" variant="primary" className="self-end" disabled={!isValid || isPending}>
        {labels.create}
      </Button>
    </form>
  );
}
